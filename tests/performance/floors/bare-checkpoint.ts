import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { findTestMachine } from '@threadbox/testkit'
import type { TestInstallation } from '../../stack/installation.ts'
import { bootOf } from '../cost/held-memory.ts'
import { timed } from '../figure.ts'

const run = promisify(execFile)

/**
 * `runsc pause` and `runsc checkpoint` of a running sandbox of the product, by hand: of the same processes and the same
 * guest as its own image. The sandbox continues afterwards. `savedMs`: milliseconds of both commands.
 */
export async function checkpointBare(
  { host }: Pick<TestInstallation, 'host'>,
  sandboxId: string,
): Promise<{ savedMs: number; bytes: number }> {
  const { runscPath } = await findTestMachine()
  const containerId = await bootOf(host, sandboxId)
  const image = await mkdtemp(path.join(host.diskDirectory, 'pool/bare-checkpoint-'))
  const root = `--root=${path.join(host.dataDirectory, 'host/driver/runsc')}`
  const runsc = (...args: string[]) => run(runscPath, [root, '--allow-connected-on-save', ...args])
  try {
    const savedMs = await timed(async () => {
      await runsc('pause', containerId)
      await runsc('checkpoint', '--leave-running', `--image-path=${image}`, containerId)
    })
    const sizes = (await readdir(image)).map(async (name) => (await stat(path.join(image, name))).size)
    return { savedMs, bytes: (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0) }
  } finally {
    await runsc('resume', containerId)
    await rm(image, { recursive: true, force: true })
  }
}
