import { execFile } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { chmod, lchown } from 'node:fs/promises'
import { promisify } from 'node:util'
import { waitAtMost } from '@threadbox/concurrency'
import type { DiskDirectory } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'

const run = promisify(execFile)
/** The program is on the sandbox's disk: the user can have replaced it. */
const touchTimeoutMs = 5_000

/**
 * Gives directories the attributes that they have on the disk, if the sandbox's kernel has others. The disk itself
 * stays unchanged, to the nanosecond.
 */
export async function correctDirectories(directories: readonly DiskDirectory[], logger: Logger): Promise<void> {
  const work = directories.map((directory) =>
    correct(directory).catch((error: unknown) =>
      logger.warn({ err: error, path: directory.path }, 'a directory shows the attributes of another disk'),
    ),
  )
  // A child of the program can keep its output open after its end.
  const end = await waitAtMost(touchTimeoutMs, { work: Promise.all(work) })
  if (end === 'late') logger.warn('directories can show the attributes of another disk')
}

async function correct({ path, mode, uid, gid, modifiedNs }: DiskDirectory): Promise<void> {
  const known = lstatSync(path, { bigint: true })
  const hasOwner = Number(known.uid) === uid && Number(known.gid) === gid
  if (!hasOwner) await lchown(path, uid, gid)
  // Changing the owner can clear bits of the mode.
  if (!hasOwner || Number(known.mode & 0o7777n) !== mode) await chmod(path, mode)
  if (String(known.mtimeNs) === modifiedNs) return
  // Node's own call has microseconds.
  const seconds = `${modifiedNs.slice(0, -9) || '0'}.${modifiedNs.slice(-9).padStart(9, '0')}`
  await run('touch', ['--no-create', '--no-dereference', `--date=@${seconds}`, path], {
    timeout: touchTimeoutMs,
    killSignal: 'SIGKILL',
  })
}
