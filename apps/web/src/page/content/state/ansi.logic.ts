/** A piece of terminal output in one style. `color` is an index of the sixteen terminal colors. */
export type AnsiSpan = { text: string; color: number | null; isBold: boolean; isDim: boolean }

type Style = Omit<AnsiSpan, 'text'>
const plain: Style = { color: null, isBold: false, isDim: false }

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal output is made of control characters
const sequence = /\x1b\[([0-9;:]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[PX^_][^\x1b]*\x1b\\|\x1b[ -/]*[0-~]/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const otherControls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g

/** Splits terminal output into styled pieces. Colors are kept; every other control sequence is dropped. */
export function ansiSpans(output: string): AnsiSpan[] {
  const text = withLinesRedrawn(output)
  const spans: AnsiSpan[] = []
  let style = plain
  let at = 0
  const add = (piece: string) => {
    const visible = piece.replace(otherControls, '')
    if (visible === '') return
    const last = spans.at(-1)
    if (last !== undefined && isSameStyle(last, style)) last.text += visible
    else spans.push({ text: visible, ...style })
  }
  for (const match of text.matchAll(sequence)) {
    add(text.slice(at, match.index))
    at = match.index + match[0].length
    if (match[2] === 'm') style = withCodes(style, match[1] ?? '')
  }
  add(text.slice(at))
  return spans
}

/** Terminal output as plain text. */
export function plainOutput(output: string): string {
  return withLinesRedrawn(output).replace(sequence, '').replace(otherControls, '')
}

/** The last line with visible text, for the closed card of a running command. */
export function lastLineOf(output: string): string {
  const lines = plainOutput(output.slice(-4000)).split('\n')
  return lines.findLast((line) => line.trim() !== '')?.trim() ?? ''
}

/** The last `count` lines; an incomplete last line counts. */
export function lastLines(output: string, count: number): { text: string; hidden: number } {
  const redrawn = withLinesRedrawn(output)
  const body = redrawn.endsWith('\n') ? redrawn.slice(0, -1) : redrawn
  const lines = body.split('\n')
  return { text: lines.slice(-count).join('\n'), hidden: Math.max(0, lines.length - count) }
}

/** A carriage return restarts the line: only the last state of a progress bar is kept. */
function withLinesRedrawn(output: string): string {
  if (!output.includes('\r')) return output
  return output
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => {
      const states = line.split('\r')
      return states.findLast((state) => state !== '') ?? ''
    })
    .join('\n')
}

function withCodes(style: Style, parameters: string): Style {
  const codes = (parameters === '' ? '0' : parameters).split(/[;:]/).map(Number)
  let next = style
  for (let index = 0; index < codes.length; index += 1) {
    const code = codes[index] ?? 0
    if (code === 0) next = plain
    else if (code === 1) next = { ...next, isBold: true }
    else if (code === 2) next = { ...next, isDim: true }
    else if (code === 22) next = { ...next, isBold: false, isDim: false }
    else if (code >= 30 && code <= 37) next = { ...next, color: code - 30 }
    else if (code >= 90 && code <= 97) next = { ...next, color: code - 82 }
    else if (code === 39) next = { ...next, color: null }
    else if (code === 38 || code === 48) {
      const [color, used] = extendedColor(codes.slice(index + 1))
      if (code === 38) next = { ...next, color }
      index += used
    }
  }
  return next
}

/** Only the first sixteen of the 256 colors are in the theme; text in others stays plain. */
function extendedColor(codes: readonly number[]): [number | null, number] {
  if (codes[0] === 5) return [codes[1] !== undefined && codes[1] < 16 ? codes[1] : null, 2]
  return [null, codes[0] === 2 ? 4 : 0]
}

function isSameStyle(a: Style, b: Style): boolean {
  return a.color === b.color && a.isBold === b.isBold && a.isDim === b.isDim
}
