import { createHash } from 'node:crypto'
import { cp, link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { testGuest } from '@threadbox/testkit'
import { build } from 'esbuild'

const main = path.join(import.meta.dirname, 'hostile-guest.main.ts')

/**
 * Creates a guest directory whose daemon is the first process of a sandbox like the real one, and does what a script
 * says; without a script it is the real one. Returns its path, beside the real one’s.
 */
export async function buildHostileGuest(): Promise<string> {
  const real = await testGuest()
  const bundled = await build({
    entryPoints: [main],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    external: ['@lydell/node-pty'],
    logLevel: 'warning',
  })
  const program = bundled.outputFiles[0]?.contents ?? new Uint8Array()
  const hash = createHash('sha256').update(path.basename(real)).update(program).digest('hex').slice(0, 16)
  const directory = path.join(path.dirname(real), `guest-hostile-${hash}`)
  if ((await stat(directory).catch(() => undefined)) !== undefined) return directory
  const staging = `${directory}.${process.pid}`
  await mkdir(path.dirname(staging), { recursive: true })
  // As links: the real one has 110 MB.
  await cp(real, staging, { recursive: true, filter: async (from) => await isCopied({ real, staging, from }) })
  await rm(path.join(staging, 'guest.js'), { force: true })
  await writeFile(path.join(staging, 'guest.js'), program)
  await rename(staging, directory).catch(async (error: NodeJS.ErrnoException) => {
    await rm(staging, { recursive: true, force: true })
    // Another test was faster.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  return directory
}

/** Large files become links. */
async function isCopied({ real, staging, from }: { real: string; staging: string; from: string }): Promise<boolean> {
  const found = await stat(from)
  if (!found.isFile() || found.size < 1_000_000) return true
  await link(from, path.join(staging, path.relative(real, from)))
  return false
}
