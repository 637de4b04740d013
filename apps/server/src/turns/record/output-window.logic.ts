import { outputWindowCharacters } from '@threadbox/protocol/public'

/** The last bytes of an output, and how many of its bytes were shown. Offsets count bytes of the whole output. */
export type OutputWindow = { bytes: Uint8Array; sizeBytes: number; shownBytes: number }

export const emptyOutputWindow: OutputWindow = { bytes: new Uint8Array(), sizeBytes: 0, shownBytes: 0 }

/** The window after `data` was appended. Holds up to {@link outputWindowCharacters} bytes. */
export function withOutput(window: OutputWindow, data: Uint8Array): OutputWindow {
  const kept = data.length >= outputWindowCharacters ? new Uint8Array() : window.bytes
  const joined = new Uint8Array(kept.length + data.length)
  joined.set(kept)
  joined.set(data, kept.length)
  return { ...window, bytes: joined.slice(-outputWindowCharacters), sizeBytes: window.sizeBytes + data.length }
}

/**
 * The next text to show: from the end of the previous one or, if more arrived than the window holds, the whole window.
 * A character whose last bytes have not arrived waits for them. Undefined when there is nothing to show.
 */
export function nextShown(
  window: OutputWindow,
): { window: OutputWindow; offset: number; text: string; sizeBytes: number } | undefined {
  const start = window.sizeBytes - window.bytes.length
  const end = window.sizeBytes - incompleteTail(window.bytes)
  if (end <= window.shownBytes) return undefined
  const from = Math.max(window.shownBytes, start)
  const slice = window.bytes.slice(from - start, end - start)
  const skipped = from > window.shownBytes ? strayHead(slice) : 0
  return {
    window: { ...window, shownBytes: end },
    offset: from + skipped,
    text: new TextDecoder().decode(slice.slice(skipped)),
    sizeBytes: end,
  }
}

/** The end of the output in the form of an entry. */
export function tailOf(window: OutputWindow): { tail: string; tailOffset: number; sizeBytes: number } {
  const start = window.sizeBytes - window.bytes.length
  const skipped = start > 0 ? strayHead(window.bytes) : 0
  return {
    tail: new TextDecoder().decode(window.bytes.slice(skipped)),
    tailOffset: start + skipped,
    sizeBytes: window.sizeBytes,
  }
}

/** Bytes at the end that begin a UTF-8 character without finishing it (up to 3). */
function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}

/** Bytes at the start that continue a character whose first bytes were cut off. */
function strayHead(bytes: Uint8Array): number {
  let count = 0
  while (count < 3 && count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1
  return count
}
