import type { FileHandle } from 'node:fs/promises'
import { withTreeFile } from './tree-files.ts'

/** Longer ones are not read: a log grows past it, and then nothing is said of it. */
const longestBytes = 16 * 1024 * 1024
/** Two trees that are being used by others are not to be read for long. */
const mostFiles = 100
const mostMs = 500
const pieceBytes = 256 * 1024

/**
 * Of these files, those that begin in the later tree with all that they held in the earlier one, with how many bytes follow.
 * By reading both; of as many as can be read in a moment.
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

/** Undefined: the later one does not begin with the earlier one, or they are no files, or too long to be read. */
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
