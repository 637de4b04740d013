import type { RefusalReason } from '@threadbox/protocol/egress'

/** What may pass of the bytes so far, or why the connection has to end. */
export type Inspection = { forward: Buffer[] } | { refused: RefusalReason }

/** Reads what a sandbox sends on one connection, before it is passed on. */
export type Guard = {
  push(bytes: Buffer): Inspection
  /** Nothing has passed yet, because what the connection is for isn’t known. */
  isWaiting(): boolean
}

/** Collects what arrives in any pieces, up to a limit. */
export type Collected = {
  /** Returns how many of the bytes it took. */
  add(bytes: Buffer): number
  bytes(): Buffer
  isFull(): boolean
}

export function makeCollected(limit: number): Collected {
  let buffer = Buffer.alloc(0)
  let length = 0
  return {
    add: (bytes) => {
      const taken = bytes.subarray(0, limit - length)
      if (length + taken.length > buffer.length) {
        // Doubling: 16,000 pieces of one byte are not copied 16,000 times.
        const larger = Buffer.alloc(Math.min(limit, Math.max(2 * buffer.length, length + taken.length)))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      taken.copy(buffer, length)
      length += taken.length
      return taken.length
    },
    bytes: () => buffer.subarray(0, length),
    isFull: () => length === limit,
  }
}
