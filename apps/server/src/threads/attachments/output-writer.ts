import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { type KeptOutput, keptOf, type OutputSegment, segmentKey, storedParts } from './kept-output.ts'

/** How much of an output is kept: its first `headBytes` and at least its last `tailBytes`. */
export type OutputLimits = {
  headBytes: number
  tailBytes: number
  /** The limit that decided: that of one call, or that of all calls of the thread. */
  from: 'call' | 'thread'
}

/** What every call keeps, whatever its thread has stored: the model gets a beginning and an end of each output. */
export const leastKept = { headBytes: 48 * 1024, tailBytes: 16 * 1024 }

/**
 * Writes one output. The bytes are durable when `append` returns; the caller then records their number, and only then
 * removes with `prune` what that number makes superfluous. So at every moment the blobs have all bytes that the recorded
 * number promises, and a writer that continues from it after a crash repeats the rest.
 */
export type OutputWriter = {
  append(data: Uint8Array): Promise<void>
  /** What is kept after the next `prune`. */
  kept(): KeptOutput
  /** The limit because of which bytes weren't kept; undefined while all are. */
  limit(): OutputLimits['from'] | undefined
  prune(): Promise<void>
}

/** A tail consists of up to this many segments and the one that is being filled. */
const tailSegments = 8

/**
 * Opens the output of which `sizeBytes` are recorded. `limits` is called once, and only if more than the head of
 * {@link leastKept} is written.
 */
export async function openOutputWriter(
  blobs: BlobStore,
  output: { key: string; sizeBytes: number; limits: () => Promise<OutputLimits> },
): Promise<OutputWriter> {
  const { key } = output
  let { sizeBytes } = output
  let { headBytes, segments } = await withoutUnrecorded(blobs, { key, sizeBytes })
  let isHeadClosed = segments.length > 0 || headBytes < sizeBytes
  let limits: OutputLimits | undefined

  const known = async () => {
    limits ??= await output.limits()
    return limits
  }
  const superfluous = () => {
    const keepFrom = sizeBytes - (limits?.tailBytes ?? Number.POSITIVE_INFINITY)
    const first = segments.findIndex(({ from, sizeBytes: bytes }) => from + bytes > keepFrom)
    return Math.max(0, first)
  }
  const appendToHead = async (data: Uint8Array) => {
    await blobs.append(key, sizeBytes, data)
    headBytes += data.length
    sizeBytes += data.length
  }
  const appendToTail = async (data: Uint8Array, segmentBytes: number) => {
    for (let rest = data; rest.length > 0; ) {
      const last = segments.at(-1)
      const isFull = last === undefined || last.sizeBytes >= segmentBytes
      const segment = isFull ? { key: segmentKey(key, sizeBytes), from: sizeBytes, sizeBytes: 0 } : last
      const part = rest.subarray(0, segmentBytes - segment.sizeBytes)
      await blobs.append(segment.key, segment.sizeBytes, part)
      const grown = { ...segment, sizeBytes: segment.sizeBytes + part.length }
      segments = [...(isFull ? segments : segments.slice(0, -1)), grown]
      sizeBytes += part.length
      rest = rest.subarray(part.length)
    }
  }

  const prune = async () => {
    const count = superfluous()
    for (const { key: old } of segments.slice(0, count)) await blobs.delete(old)
    segments = segments.slice(count)
  }
  if (segments.length > 0) {
    await known()
    await prune()
  }

  return {
    append: async (data) => {
      if (!isHeadClosed && sizeBytes + data.length <= leastKept.headBytes) return await appendToHead(data)
      const { headBytes: headLimit, tailBytes } = await known()
      // A head that is already longer, because the limit was higher or missing, stays whole.
      const room = isHeadClosed ? 0 : Math.max(0, headLimit - sizeBytes)
      if (room > 0) await appendToHead(data.subarray(0, room))
      if (data.length <= room) return
      isHeadClosed = true
      await appendToTail(data.subarray(room), Math.ceil(tailBytes / tailSegments))
    },
    kept: () => {
      const kept = keptOf({ headBytes, segments: segments.slice(superfluous()) })
      return { ...kept, sizeBytes }
    },
    limit: () => {
      const { headBytes: head, tailFrom } = keptOf({ headBytes, segments: segments.slice(superfluous()) })
      return head === tailFrom ? undefined : (limits?.from ?? 'call')
    },
    prune,
  }
}

/**
 * Removes what a writer stored and didn't record before it crashed: it is written again, and a changed limit can then
 * divide it differently.
 */
async function withoutUnrecorded(
  blobs: BlobStore,
  { key, sizeBytes }: { key: string; sizeBytes: number },
): Promise<{ headBytes: number; segments: OutputSegment[] }> {
  const stored = await storedParts(blobs, key)
  for (const { key: old } of stored.loose) await blobs.delete(old)
  const segments: OutputSegment[] = []
  // The last one first: what remains after a crash in between is consecutive.
  for (const segment of stored.segments.toReversed()) {
    if (segment.from >= sizeBytes) {
      await blobs.delete(segment.key)
      continue
    }
    const recorded = Math.min(segment.sizeBytes, sizeBytes - segment.from)
    if (recorded < segment.sizeBytes) await blobs.append(segment.key, recorded, new Uint8Array())
    segments.unshift({ ...segment, sizeBytes: recorded })
  }
  const headBytes = Math.min(stored.headBytes, sizeBytes)
  if (headBytes < stored.headBytes) await blobs.append(key, headBytes, new Uint8Array())
  return { headBytes, segments }
}
