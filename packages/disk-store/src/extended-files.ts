import type { FileHandle } from 'node:fs/promises'
import { withTreeFile } from './tree-files.ts'

/** Longer files are not read, so a log that grows past this size is not reported as extended. */
const longestBytes = 16 * 1024 * 1024
/** Limits the reading of trees that sandboxes are using. */
const mostFiles = 100
const mostMs = 500
const pieceBytes = 256 * 1024

/**
 * Of these files, returns those whose later content starts with their whole earlier content, with the number of bytes
 * that follow. Reads both; stops after `mostMs`.
 */
export async function findExtended(options: {
  before: string
  after: string
  names: readonly string[]
}): Promise<Map<string, number>> {
  const { before, after } = options
  const found = new Map<string, number>()
  const startedAt = performance.now()
  for (const name of options.names.slice(0, mostFiles)) {
    if (performance.now() - startedAt > mostMs) break
    const added = await withTreeFile({ root: before, name }, (earlier) =>
      withTreeFile({ root: after, name }, (later) => addedBytes(earlier, later)),
    )
    if (added !== undefined) found.set(name, added)
  }
  return found
}

/**
 * Undefined: the later file does not start with the earlier one, one of them is not a regular file, or the earlier one
 * is too long.
 */
async function addedBytes(earlier: FileHandle, later: FileHandle): Promise<number | undefined> {
  const [was, is] = [await earlier.stat(), await later.stat()]
  if (!was.isFile() || !is.isFile() || is.size < was.size || was.size > longestBytes) return undefined
  const [one, other] = [Buffer.alloc(pieceBytes), Buffer.alloc(pieceBytes)]
  for (let position = 0; position < was.size; position += pieceBytes) {
    const length = Math.min(pieceBytes, was.size - position)
    for (const [file, piece] of [[earlier, one] as const, [later, other] as const]) {
      if ((await file.read(piece, 0, length, position)).bytesRead !== length) return undefined
    }
    if (!one.subarray(0, length).equals(other.subarray(0, length))) return undefined
  }
  return is.size - was.size
}
