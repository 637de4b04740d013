const smallest = 64 * 1024
const largest = 1024 * 1024
/** A border where these bits are 0: each 256 KiB on average beyond the smallest size. */
const mask = 0xffff_c000

/** A fixed random number for each byte. Another table would make other borders, and store everything again. */
const numbers = (() => {
  const table = new Uint32Array(256)
  let state = 0x9e37_79b9
  for (let index = 0; index < 256; index++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    table[index] = state >>> 0
  }
  return table
})()

/**
 * The same bytes in pieces whose borders depend on the content around them: where something was inserted or removed, the pieces
 * before and after stay the same, so that they are stored once.
 */
export async function* contentPieces(content: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const piece = Buffer.allocUnsafe(largest)
  let filled = 0
  let hash = 0
  for await (const part of content) {
    for (let done = 0; done < part.byteLength; ) {
      const end = borderIn(part, { from: done, filled, hash })
      piece.set(part.subarray(done, end.at), filled)
      filled += end.at - done
      hash = end.hash
      done = end.at
      if (!end.isBorder) continue
      yield piece.subarray(0, filled)
      filled = 0
      hash = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}

function borderIn(part: Uint8Array, { from, filled, hash: before }: { from: number; filled: number; hash: number }) {
  const stop = Math.min(part.byteLength, from + largest - filled)
  let hash = before
  for (let at = from; at < stop; at++) {
    hash = ((hash << 1) + (numbers[part[at] ?? 0] ?? 0)) >>> 0
    if (filled + at - from + 1 >= smallest && (hash & mask) === 0) return { at: at + 1, hash, isBorder: true }
  }
  return { at: stop, hash, isBorder: stop - from + filled === largest }
}
