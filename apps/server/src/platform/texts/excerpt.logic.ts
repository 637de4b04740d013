/** The beginning and the end of an output, for the model. Sizes in bytes of UTF-8. */
export type Excerpt = { text: string; isWhole: boolean }

/**
 * The part of an output for the model: all of it, or two thirds of the limit from the beginning and one third from the
 * end, cut at nearby line ends, with a line in between that says how much is missing.
 */
export function excerptOf(parts: { head: string; tail: string; sizeBytes: number; isWhole: boolean }): Excerpt {
  if (parts.isWhole) return { text: parts.head, isWhole: true }
  const head = endAtLine(parts.head)
  const tail = beginAtLine(parts.tail)
  const shown = byteLength(head) + byteLength(tail)
  const gap = `\n[… ${formatBytes(parts.sizeBytes - shown)} of ${formatBytes(parts.sizeBytes)} omitted …]\n`
  return { text: head + gap + tail, isWhole: false }
}

/** Shortens a text that is already in memory in the same way. */
export function excerptOfText(text: string, maxCharacters: number): Excerpt {
  if (text.length <= maxCharacters) return { text, isWhole: true }
  const headLength = Math.floor((maxCharacters * 2) / 3)
  return excerptOf({
    head: text.slice(0, headLength),
    tail: text.slice(text.length - (maxCharacters - headLength)),
    sizeBytes: byteLength(text),
    isWhole: false,
  })
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  const value = bytes / 1024 ** step
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`
}

/** How far from the cut a line end is searched; a longer line is cut in the middle. */
const lineSearchCharacters = 400

function endAtLine(text: string): string {
  const end = text.lastIndexOf('\n')
  return end >= text.length - lineSearchCharacters && end > 0 ? text.slice(0, end + 1) : text
}

function beginAtLine(text: string): string {
  const start = text.indexOf('\n')
  return start >= 0 && start < Math.min(lineSearchCharacters, text.length - 1) ? text.slice(start + 1) : text
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length
}
