import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { builtGuestVariable, builtProgramsVariable, testGuest } from '@threadbox/testkit'
import { buildPrograms } from '../../deploy/build/build.ts'

/** Bundles host daemon, server and guest once for all tests of a run, as a release has them. */
export default async function setup(): Promise<() => Promise<void>> {
  // Another project of the same run did it already.
  if (process.env[builtProgramsVariable] !== undefined) return async () => undefined
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-programs-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    await buildPrograms(directory)
    process.env[builtGuestVariable] = await testGuest()
  } catch (error) {
    await remove()
    throw error
  }
  // The test processes, which start later, find them here.
  process.env[builtProgramsVariable] = directory
  return remove
}
