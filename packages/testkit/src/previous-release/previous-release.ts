import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const packedReleases = path.join(import.meta.dirname, '../../../../tests/releases')

/**
 * Unpacks the programs of the previous release, without native modules, into an empty folder. Returns the release’s name, and
 * the migrations that it knows.
 */
export async function unpackPreviousRelease(folder: string): Promise<{ name: string; migrations: string[] }> {
  const [packed, ...others] = (await readdir(packedReleases)).filter((name) => name.endsWith('.tar.zst'))
  if (packed === undefined || others.length > 0) throw new Error(`${packedReleases} must have one release.`)
  await run('tar', ['-I', 'zstd -d --long=27', '-xf', path.join(packedReleases, packed), '-C', folder])
  const server = await readFile(path.join(folder, 'server/main.js'), 'utf8')
  const names = [...server.matchAll(/["'](\d{4}-[a-z][a-z-]+)["']\s*:/g)].map(([, found = '']) => found)
  return { name: packed.replace('.tar.zst', ''), migrations: [...new Set(names)].sort() }
}
