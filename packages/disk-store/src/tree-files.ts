import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Reads a file of a tree that hostile programs may change meanwhile: no link is followed, in no part of the name, and nothing
 * is opened that could wait. Undefined: it is not there, or cannot be read.
 */
export async function withTreeFile<Value>(
  { root, name }: { root: string; name: string },
  read: (file: FileHandle) => Promise<Value | undefined>,
): Promise<Value | undefined> {
  const parts = name.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return undefined
  let handle: FileHandle | undefined
  try {
    handle = await open(root, directoryFlags)
    for (const [index, part] of parts.entries()) {
      const parent: FileHandle = handle
      // By the directory that is open, so that nothing put in its place meanwhile is gone through.
      const path = `/proc/self/fd/${parent.fd}/${part}`
      handle = await open(path, index === parts.length - 1 ? fileFlags : directoryFlags).finally(() => parent.close())
    }
    return await read(handle)
  } catch {
    return undefined
  } finally {
    await handle?.close().catch(() => undefined)
  }
}

// A look is no use: the disk of a sandbox that sleeps is to stay as its memory knows it.
const looking = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NOATIME
const directoryFlags = looking | constants.O_DIRECTORY
const fileFlags = looking | constants.O_NONBLOCK
