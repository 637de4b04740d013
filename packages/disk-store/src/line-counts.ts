import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { changedLines } from './line-counts.models.ts'

/** A person counts lines of text, not of data. */
const longestFileBytes = 64 * 1024
/** Two trees that are being used by others are not to be read for long. */
const mostFiles = 40
const mostMs = 250

export type LineCounts = { added: number; removed: number }

/**
 * How many lines of text files came and went from one tree to the other, of as many of these names as can be read in a
 * moment: small regular files that hold no zero bytes. The trees may be changed by hostile programs meanwhile: no link is
 * followed, in no part of a path, and nothing is opened that could wait.
 */
export async function countLines(options: {
  before: string
  after: string
  names: readonly string[]
}): Promise<Map<string, LineCounts>> {
  const found = new Map<string, LineCounts>()
  const startedAt = performance.now()
  for (const name of options.names.slice(0, mostFiles)) {
    if (performance.now() - startedAt > mostMs) break
    const texts = [await readText(options.before, name), await readText(options.after, name)] as const
    const [before, after] = texts
    const counts = before === undefined || after === undefined ? undefined : changedLines(before, after)
    if (counts !== undefined) found.set(name, counts)
  }
  return found
}

/** Undefined: it is not there, is no regular file, is too large, is no text, or cannot be read. */
async function readText(root: string, name: string): Promise<string | undefined> {
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
    return await textOf(handle)
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

async function textOf(file: FileHandle): Promise<string | undefined> {
  const facts = await file.stat()
  if (!facts.isFile() || facts.size > longestFileBytes) return undefined
  const bytes = Buffer.alloc(longestFileBytes + 1)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  if (bytesRead > longestFileBytes) return undefined
  const content = bytes.subarray(0, bytesRead)
  return content.includes(0) ? undefined : content.toString('latin1')
}
