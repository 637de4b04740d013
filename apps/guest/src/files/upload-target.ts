import { constants, type Stats } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { freshRandom } from '../ground/random.ts'
import { pathInvalid, pathIsDirectory } from './file-errors.ts'

const uploadPrefix = '.threadbox-upload-'

/** True for names of unfinished uploads, which are beside their targets. */
export function isUploadName(name: string): boolean {
  return name.startsWith(uploadPrefix)
}

/** A destination for new content, which replaces the old content in one step, or not at all. */
export type UploadTarget = {
  handle: FileHandle
  commit(): Promise<void>
  discard(): Promise<void>
}

/**
 * Prepares writing to `path`, with parents. The content goes beside the target and replaces it at the end, with the old
 * mode and owner. A file with several names, or in a directory that the user cannot write to, is written in place:
 * replacing it would detach it from its other names, or fail.
 */
export async function openUploadTarget(path: string): Promise<UploadTarget> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  const existing = await describeExisting(path)
  if (existing === undefined) return await openBeside({ target: path, like: undefined })
  const { target, stats } = existing
  // Replacing does not require write permission on the file itself, but the user expects that it does.
  await access(target, constants.W_OK)
  const writableDirectory = await access(dirname(target), constants.W_OK).then(
    () => true,
    () => false,
  )
  if (stats.nlink > 1 || !writableDirectory) return await openInPlace(target)
  return await openBeside({ target, like: stats })
}

/** Follows a symbolic link. Returns undefined if nothing exists; a dangling link creates its target. */
async function describeExisting(path: string): Promise<{ target: string; stats: Stats } | undefined> {
  const own = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (own === undefined) return undefined
  if (own.isSymbolicLink() && !(await exists(path))) {
    throw pathInvalid({ path, problem: 'it is a symbolic link to something that does not exist' })
  }
  const target = await realpath(path)
  const stats = await stat(target)
  if (stats.isDirectory()) throw pathIsDirectory({ path })
  if (!stats.isFile()) throw pathInvalid({ path, problem: 'it is not a regular file' })
  return { target, stats }
}

async function exists(path: string) {
  return await stat(path).then(
    () => true,
    () => false,
  )
}

async function openBeside(options: { target: string; like: Stats | undefined }): Promise<UploadTarget> {
  const { target, like } = options
  if (basename(target) === '') throw pathIsDirectory({ path: target })
  const path = join(dirname(target), `${uploadPrefix}${freshRandom(8)}`)
  const handle = await open(path, 'wx', 0o666)
  const discard = async () => {
    await handle.close()
    await rm(path, { force: true })
  }
  const commit = async () => {
    if (like !== undefined) {
      const own = await handle.stat()
      if (own.uid !== like.uid || own.gid !== like.gid) await handle.chown(like.uid, like.gid).catch(() => undefined)
      await handle.chmod(like.mode & 0o7777)
    }
    await handle.close()
    await rename(path, target)
  }
  return { handle, commit, discard }
}

async function openInPlace(target: string): Promise<UploadTarget> {
  const handle = await open(target, constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW)
  const close = () => handle.close()
  return { handle, commit: close, discard: close }
}
