import type { FileHandle } from 'node:fs/promises'
import { changedLines } from './line-counts.models.ts'
import { withTreeFile } from './tree-files.ts'

/** A person counts lines of text, not of data. */
const longestFileBytes = 64 * 1024
/** Two trees that are being used by others are not to be read for long. */
const mostFiles = 40
const mostMs = 250

export type LineCounts = { added: number; removed: number }

/**
 * How many lines of text files came and went from one tree to the other, of as many of these names as can be read in a
 * moment: small regular files that hold no zero bytes.
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
    const readText = (root: string) => withTreeFile({ root, name }, textOf)
    const [before, after] = [await readText(options.before), await readText(options.after)]
    const counts = before === undefined || after === undefined ? undefined : changedLines(before, after)
    if (counts !== undefined) found.set(name, counts)
  }
  return found
}

/** Undefined: it is no regular file, is too large, or is no text. */
async function textOf(file: FileHandle): Promise<string | undefined> {
  const facts = await file.stat()
  if (!facts.isFile() || facts.size > longestFileBytes) return undefined
  const bytes = Buffer.alloc(longestFileBytes + 1)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  if (bytesRead > longestFileBytes) return undefined
  const content = bytes.subarray(0, bytesRead)
  return content.includes(0) ? undefined : content.toString('latin1')
}
