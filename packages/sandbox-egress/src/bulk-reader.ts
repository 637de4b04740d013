import type { OnReadOpts } from 'node:net'

/**
 * Reads a connection into a buffer of its own, again and again. Node’s streams allocate one for each 64 KiB, which takes a
 * relay three times as much processor time. Nothing is read before `start`.
 */
export type BulkReader = {
  /** For `net.connect`. */
  onread: OnReadOpts
  /** `take` returns whether the bytes were used: if not, nothing is read before the socket is resumed. */
  start(take: (bytes: Buffer) => boolean): void
}

/** Most connections send little, and there are hundreds of them. */
const smallBytes = 16 * 1024
const largeBytes = 256 * 1024

export function makeBulkReader(): BulkReader {
  let take: (bytes: Buffer) => boolean = () => false
  let buffer = Buffer.allocUnsafeSlow(smallBytes)
  const resizeFor = (length: number) => {
    const wanted = length === buffer.length ? largeBytes : length < smallBytes ? smallBytes : buffer.length
    if (wanted !== buffer.length) buffer = Buffer.allocUnsafeSlow(wanted)
  }
  return {
    onread: {
      buffer: () => buffer,
      callback: (length, bytes) => {
        const isUsed = take(Buffer.from(bytes.buffer, bytes.byteOffset, length))
        // Otherwise it is still being written from.
        if (isUsed) resizeFor(length)
        return isUsed
      },
    },
    start: (taking) => {
      take = taking
    },
  }
}
