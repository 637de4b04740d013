import type { FileHandle } from 'node:fs/promises'
import { changedLines } from './line-counts.logic.ts'
import { withTreeFile } from './tree-files.ts'

/** Longer files are data rather than text whose lines people count. */
const longestFileBytes = 64 * 1024
/** Limits the reading of trees that sandboxes are using. */
const mostFiles = 40
const mostMs = 250

export type LineCounts = { added: number; removed: number }

/**
 * Counts the lines added to and removed from text files between two trees. Reads small regular files without zero
 * bytes, and stops after `mostMs`.
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

/** Undefined: not a regular file, too large, or not text. */
async function textOf(file: FileHandle): Promise<string | undefined> {
  const facts = await file.stat()
  if (!facts.isFile() || facts.size > longestFileBytes) return undefined
  const bytes = Buffer.alloc(longestFileBytes + 1)
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  if (bytesRead > longestFileBytes) return undefined
  const content = bytes.subarray(0, bytesRead)
  return content.includes(0) ? undefined : content.toString('latin1')
}
