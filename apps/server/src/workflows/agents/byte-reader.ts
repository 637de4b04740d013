import { waitAtMost } from '@threadbox/concurrency'

/** A client that sends nothing for this long counts as stopped. */
const drainMs = 5000

/** Reads a stream of bytes from its beginning. Results are undefined when the stream ends too early. */
export type ByteReader = {
  /** Reads up to a newline and consumes it. Undefined if there is none within `maxBytes`. */
  line(maxBytes: number): Promise<string | undefined>
  take(count: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  rest(): AsyncGenerator<Uint8Array>
  /** Discards the rest of the stream until it ends, fails or stalls. */
  drain(): Promise<void>
}

export function makeByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const parts = source[Symbol.asyncIterator]()
  let held: Uint8Array[] = []
  let heldBytes = 0
  const more = async () => {
    const next = await parts.next()
    if (next.done === true) return false
    held.push(next.value)
    heldBytes += next.value.byteLength
    return true
  }
  const take = async (count: number) => {
    while (heldBytes < count) if (!(await more())) return undefined
    const all = joined(held, heldBytes)
    held = [all.subarray(count)]
    heldBytes -= count
    return all.slice(0, count)
  }
  return {
    take,
    line: async (maxBytes) => {
      for (let [index, seen] = [0, 0]; ; index += 1) {
        const part = held[index]
        if (part === undefined) {
          if (seen > maxBytes || !(await more())) return undefined
          index -= 1
          continue
        }
        const end = part.indexOf(10)
        if (end >= 0 && seen + end <= maxBytes) {
          const line = await take(seen + end + 1)
          return new TextDecoder().decode(line?.subarray(0, -1))
        }
        seen += part.byteLength
        if (seen > maxBytes) return undefined
      }
    },
    drain: async () => {
      held = []
      heldBytes = 0
      const hasEnded = async () => {
        const next = parts.next()
        if ((await waitAtMost(drainMs, { work: next })) === 'late') return true
        return await next.then(
          ({ done }) => done === true,
          () => true,
        )
      }
      while (!(await hasEnded()));
    },
    rest: async function* () {
      yield* held.splice(0)
      heldBytes = 0
      for (;;) {
        const next = await parts.next()
        if (next.done === true) return
        yield next.value
      }
    },
  }
}

function joined(parts: readonly Uint8Array[], sizeBytes: number): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(sizeBytes)
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.byteLength
  }
  return all
}
