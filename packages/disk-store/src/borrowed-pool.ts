import { mkdir, statfs } from 'node:fs/promises'
import { poolBusy } from './disk-store.errors.ts'
import { mountAt } from './mounts.ts'
import type { Pool } from './pool.ts'
import { runCommand } from './run-command.ts'

/**
 * A directory on a btrfs that belongs to the user. It is mounted over itself so that files of sandboxes can be neither
 * setuid nor devices there; the user’s mount options decide whether files are compressed.
 */
export function makeBorrowedPool(options: { directory: string; keepFreeBytes: number }): Pool {
  const { directory, keepFreeBytes } = options
  return {
    root: directory,
    isOwn: false,
    keepFreeBytes,
    async prepare() {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      if ((await mountAt(directory)) === undefined) await runCommand(['mount', '--bind', directory, directory])
      await runCommand(['mount', '-o', 'remount,bind,nosuid,nodev,noatime', directory])
    },
    async close() {
      if ((await mountAt(directory)) === undefined) return
      await runCommand(['umount', directory]).catch((error) => {
        throw poolBusy({ path: directory, reason: 'files of it are still open' }, { cause: error })
      })
    },
  }
}

/** Whether an existing directory is on btrfs (the number is BTRFS_SUPER_MAGIC of linux/magic.h). */
export async function isOnBtrfs(directory: string): Promise<boolean> {
  return (await statfs(directory)).type === 0x9123683e
}
