import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Reads a file of a tree that hostile programs may change during the read: no link is followed in any part of the name,
 * and nothing that could block is opened. Undefined: the file does not exist or cannot be read.
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
      // Opened through the parent’s descriptor, so that a replacement of the parent is not followed.
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

// Reading must not change access times: the disk of a paused sandbox must stay as its memory knows it.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NOATIME
const directoryFlags = readFlags | constants.O_DIRECTORY
const fileFlags = readFlags | constants.O_NONBLOCK
