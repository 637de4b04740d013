import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { DiskStore } from '@threadbox/disk-store'
import { type CleanedSandbox, cleanedSandboxSchema } from '@threadbox/protocol/host'
import type { StoredSandbox } from '../state/sandboxes.store.ts'
import type { CleanerOrder } from './clean-disk/main.ts'
import { diskNotCleaned } from './environments.errors.ts'

/** A few gigabytes of files are read within a minute. */
const timeoutMs = 10 * 60_000

/**
 * Takes secrets and traces off a disk in which nothing runs, in a process of its own: reading a whole disk would keep
 * the daemon from answering others. Cut off in between it has done a part; the same order again does the rest.
 */
export async function cleanDisk(
  { disks }: { disks: Pick<DiskStore, 'getDisk' | 'listImages' | 'syncDisk'> },
  wanted: { sandbox: StoredSandbox } & Pick<CleanerOrder, 'secrets' | 'redact'>,
): Promise<CleanedSandbox> {
  const { sandbox, secrets, redact } = wanted
  const { path } = await disks.getDisk(sandbox.placeId)
  const image = (await disks.listImages()).find(({ imageId }) => imageId === sandbox.imageId)
  const answer = await runCleaner(path, { secrets, redact, imagePath: image?.path ?? null })
  await disks.syncDisk(sandbox.placeId)
  return answer
}

async function runCleaner(root: string, order: CleanerOrder): Promise<CleanedSandbox> {
  const isSource = import.meta.filename.endsWith('.ts')
  const here = dirname(import.meta.filename)
  const program = isSource ? join(here, 'clean-disk', 'main.ts') : join(here, '..', 'disk-cleaner', 'main.js')
  const cleaner = spawn(process.execPath, [program], {
    ...{ cwd: root, env: {}, timeout: timeoutMs, killSignal: 'SIGKILL' as const },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  cleaner.stdin.on('error', () => undefined)
  cleaner.stdin.end(JSON.stringify(order))
  const [said, problem, [code]] = await Promise.all([
    text(cleaner.stdout),
    text(cleaner.stderr),
    once(cleaner, 'exit') as Promise<[number | null]>,
  ])
  if (code !== 0) throw diskNotCleaned({ problem: problem.slice(-2000) })
  return cleanedSandboxSchema.parse(JSON.parse(said))
}
