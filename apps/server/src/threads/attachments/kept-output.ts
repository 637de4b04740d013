import { buffer } from 'node:stream/consumers'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { outputNotKept } from './content.errors.ts'

/**
 * Which bytes of an output are stored: those before `headBytes`, and those from `tailFrom` to `sizeBytes`, the number of
 * bytes written. All of them if `headBytes` is `tailFrom`.
 */
export type KeptOutput = { sizeBytes: number; headBytes: number; tailFrom: number }

/** A blob with consecutive bytes after the head. `from` is the offset of its first byte in the whole output. */
export type OutputSegment = { key: string; from: number; sizeBytes: number }

/** The prefix of the blobs with the bytes after the head. */
export function tailPrefix(key: string): string {
  return `${key}.tail`
}

/** Names sort by offset: 16 digits hold every safe integer. */
export function segmentKey(key: string, from: number): string {
  return `${tailPrefix(key)}/${String(from).padStart(16, '0')}`
}

/**
 * What is stored of an output. The blobs alone say it, so that a reader needs no record that is written at another
 * moment. The head is measured last: it no longer grows when a segment exists.
 */
export async function storedParts(
  blobs: BlobStore,
  key: string,
): Promise<{ headBytes: number; segments: OutputSegment[]; loose: OutputSegment[] }> {
  const listed = (await blobs.list(tailPrefix(key))).map(({ name, sizeBytes }) => {
    const from = Number(name)
    return { key: segmentKey(key, from), from, sizeBytes }
  })
  const head = await blobs.get(key, { offset: 0, length: 0 })
  await head?.stream.cancel()
  // After a power cut a removed segment can be back without the one after it: only the last consecutive ones count.
  const breaks = listed.findLastIndex(({ from, sizeBytes }, index) => {
    const next = listed[index + 1]
    return next !== undefined && next.from !== from + sizeBytes
  })
  return { headBytes: head?.sizeBytes ?? 0, segments: listed.slice(breaks + 1), loose: listed.slice(0, breaks + 1) }
}

export function keptOf(stored: { headBytes: number; segments: readonly OutputSegment[] }): KeptOutput {
  const last = stored.segments.at(-1)
  const sizeBytes = last === undefined ? stored.headBytes : last.from + last.sizeBytes
  return { sizeBytes, headBytes: stored.headBytes, tailFrom: stored.segments[0]?.from ?? stored.headBytes }
}

export type OpenOutput = { kept: KeptOutput; content: ReadableStream<Uint8Array> }

/**
 * Opens the bytes from `offset` on, at most `length`; fewer if bytes follow that weren't kept. Throws `output.not-kept`
 * if the first byte wasn't.
 */
export async function openOutput(
  blobs: BlobStore,
  range: { key: string; offset: number; length?: number },
): Promise<OpenOutput> {
  return await openParts(blobs, range.key, (stored) => {
    const kept = keptOf(stored)
    const { headBytes, tailFrom, sizeBytes } = kept
    const { offset } = range
    const isInTail = offset >= tailFrom
    if (!isInTail && offset >= headBytes) throw outputNotKept({ from: headBytes, to: tailFrom })
    const end = isInTail || headBytes === tailFrom ? sizeBytes : headBytes
    const to = range.length === undefined ? end : Math.min(end, offset + range.length)
    return piecesBetween({ key: range.key, ...stored }, { from: offset, to })
  })
}

/** Opens everything that was kept for a person to read, with a line in place of the bytes that weren't. */
export async function openKeptOutput(blobs: BlobStore, key: string): Promise<OpenOutput> {
  return await openParts(blobs, key, (stored) => {
    const { headBytes, tailFrom, sizeBytes } = keptOf(stored)
    const pieces = (from: number, to: number) => piecesBetween({ key, ...stored }, { from, to })
    if (headBytes === tailFrom) return pieces(0, sizeBytes)
    const line = new TextEncoder().encode(notKeptLine(tailFrom - headBytes))
    return [...pieces(0, headBytes), line, ...pieces(tailFrom, sizeBytes)]
  })
}

function notKeptLine(bytes: number): string {
  return `\n[${bytes} bytes not kept]\n`
}

/** The bytes that {@link openOutput} opens. */
export async function readOutput(
  blobs: BlobStore,
  range: { key: string; offset: number; length: number },
): Promise<Uint8Array> {
  if (range.length <= 0) return new Uint8Array()
  const { content } = await openOutput(blobs, range)
  return await buffer(content)
}

type Piece = { key: string; offset: number; length: number } | Uint8Array

function piecesBetween(
  stored: { key: string; headBytes: number; segments: readonly OutputSegment[] },
  range: { from: number; to: number },
): Piece[] {
  const blobs = [{ key: stored.key, from: 0, sizeBytes: stored.headBytes }, ...stored.segments]
  return blobs.flatMap(({ key, from, sizeBytes }) => {
    const start = Math.max(range.from, from)
    const end = Math.min(range.to, from + sizeBytes)
    return start < end ? [{ key, offset: start - from, length: end - start }] : []
  })
}

/** The writer removes a segment at most once per segment it fills, so listing again finds the current ones. */
const maxAttempts = 10

/** Opens every blob before the first byte is sent: an open one can be read to its end although it is removed. */
async function openParts(
  blobs: BlobStore,
  key: string,
  choose: (stored: { headBytes: number; segments: OutputSegment[] }) => Piece[],
): Promise<OpenOutput> {
  for (let attempt = 1; ; attempt++) {
    const stored = await storedParts(blobs, key)
    const streams = await Promise.all(
      choose(stored).map(async (piece) =>
        piece instanceof Uint8Array
          ? new Blob([new Uint8Array(piece)]).stream()
          : (await blobs.get(piece.key, piece))?.stream,
      ),
    )
    const opened = streams.filter((stream) => stream !== undefined)
    if (opened.length === streams.length) return { kept: keptOf(stored), content: joined(opened) }
    await cancelAll(opened)
    const { headBytes, tailFrom } = keptOf(stored)
    if (attempt === maxAttempts) throw outputNotKept({ from: headBytes, to: tailFrom })
  }
}

function joined(streams: readonly ReadableStream<Uint8Array>[]): ReadableStream<Uint8Array> {
  const readers = streams.map((stream) => stream.getReader())
  let current = 0
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      for (;;) {
        const reader = readers[current]
        if (reader === undefined) return controller.close()
        const { done, value } = await reader.read()
        if (!done) return controller.enqueue(value)
        current += 1
      }
    },
    cancel: async (reason) => {
      await Promise.all(readers.map((reader) => reader.cancel(reason)))
    },
  })
}

async function cancelAll(streams: readonly ReadableStream<Uint8Array>[]): Promise<void> {
  await Promise.all(streams.map((stream) => stream.cancel()))
}
