import { lstat } from 'node:fs/promises'
import path from 'node:path'
import type { DiskDirectory } from '@threadbox/protocol/guest'

/**
 * Parents of the files that are mounted over a disk, each in the one before. The sandbox's kernel keeps them in a
 * template as they were on the disk that the template was made over, and reads them from no other disk.
 */
const directories = ['/', '/etc', '/etc/ssl', '/etc/ssl/certs']

/** Those directories as they are on the disk at `rootPath`; stops at the first that is no longer a directory. */
export async function readTemplateDirectories(rootPath: string): Promise<DiskDirectory[]> {
  const found: DiskDirectory[] = []
  for (const directory of directories) {
    const stats = await lstat(path.join(rootPath, directory), { bigint: true }).catch(() => undefined)
    if (stats === undefined || !stats.isDirectory()) break
    const [uid, gid, mode] = [Number(stats.uid), Number(stats.gid), Number(stats.mode & 0o7777n)]
    found.push({ path: directory, mode, uid, gid, modifiedNs: String(stats.mtimeNs) })
  }
  return found
}
