import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildWebApp, builtAppVariable } from './app-in-browser.ts'

/** Builds the app once for all browser tests of a run; each installation gets a copy. */
export default async function setup(): Promise<() => Promise<void>> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-built-app-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    await buildWebApp(directory)
  } catch (error) {
    await remove()
    throw error
  }
  // The test processes, which start later, find it here.
  process.env[builtAppVariable] = directory
  return remove
}
