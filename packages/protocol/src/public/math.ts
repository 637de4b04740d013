/** A piece of Markdown: unchanged text or code, or the TeX of a formula, without its delimiters and on one line. */
export type MathSegment = { kind: 'text' | 'code' | 'inline' | 'display'; text: string }

/**
 * Splits Markdown into text and formulas: `$…$` and `\(…\)` in a line, `$$…$$` and `\[…\]` as display formulas. Code is
 * text, and so is a dollar sign that means money: an opening `$` is followed by no space, the closing one has no space
 * before it and no letter or digit after it (Pandoc’s rule), and an amount followed by words (`$5 for the first and
 * 10$`) is not a formula.
 */
export function mathSegments(markdown: string): MathSegment[] {
  const segments: MathSegment[] = []
  for (const block of blocksOf(markdown)) {
    if (block.isCode) segments.push({ kind: 'code', text: block.text })
    else for (const segment of segmentsOfProse(block.text)) append(segments, segment)
  }
  return segments
}

/** Dollars on each side of an inline formula, and of a display formula. */
export const mathMarks = { inline: '$$', display: '$$$$' } as const

/**
 * Writes every formula of a Markdown text between {@link mathMarks}, so that a Markdown reader with formulas but
 * without single dollars finds exactly these. Everything else stays.
 */
export function withMathMarks(markdown: string): string {
  if (!/[$\\]/.test(markdown)) return markdown
  const marked = mathSegments(markdown).map(({ kind, text }) =>
    kind === 'text' || kind === 'code' ? text : `${mathMarks[kind]}${text}${mathMarks[kind]}`,
  )
  return marked.join('')
}

/** A text with more than this many characters in one formula has no formulas. */
const longestFormula = 10_000

function append(segments: MathSegment[], segment: MathSegment): void {
  const last = segments.at(-1)
  if (segment.kind === 'text' && last?.kind === 'text') last.text += segment.text
  else if (segment.text !== '') segments.push({ ...segment })
}

/** Fenced code and the prose between. A fence that is never closed reaches to the end, as in CommonMark. */
function blocksOf(markdown: string): { isCode: boolean; text: string }[] {
  const blocks: { isCode: boolean; text: string }[] = []
  let fence: { mark: string; length: number } | null = null
  for (const line of markdown.split(/(?<=\n)/)) {
    const found = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(`{3,}|~{3,})(.*)/.exec(line)
    const mark = found?.[1] ?? ''
    const isOpening = fence === null && mark !== '' && !(mark.startsWith('`') && found?.[2]?.includes('`'))
    const isCode = fence !== null || isOpening
    const isClosing: boolean =
      fence !== null && mark.startsWith(fence.mark) && mark.length >= fence.length && found?.[2]?.trim() === ''
    if (isOpening) fence = { mark: mark.charAt(0), length: mark.length }
    if (isClosing) fence = null
    const last = blocks.at(-1)
    if (last !== undefined && last.isCode === isCode) last.text += line
    else blocks.push({ isCode, text: line })
  }
  return blocks
}

/** Inline code, an escaped character, or one of the four opening delimiters. */
const marks = /(`+)|\\[\s\S]|\$\$|\$/g
const closings: Readonly<Record<string, string>> = { '\\(': '\\)', '\\[': '\\]', $$: '$$', $: '$' }

function segmentsOfProse(prose: string): MathSegment[] {
  const segments: MathSegment[] = []
  const find = endFinder(prose)
  let from = 0
  const scan = new RegExp(marks)
  for (let mark = scan.exec(prose); mark !== null; mark = scan.exec(prose)) {
    const [opening, backticks] = mark
    const start = mark.index + opening.length
    if (backticks !== undefined) {
      const close = find(backticks, start)
      scan.lastIndex = (close ?? mark.index) + opening.length
      if (close === undefined) continue
      const code = prose.slice(mark.index, scan.lastIndex)
      segments.push({ kind: 'text', text: prose.slice(from, mark.index) }, { kind: 'code', text: code })
      from = scan.lastIndex
      continue
    }
    const end = find(closings[opening], start)
    const formula = end === undefined ? undefined : formulaOf(prose, { opening, start, end })
    if (end === undefined || formula === undefined) continue
    segments.push({ kind: 'text', text: prose.slice(from, mark.index) }, formula)
    from = end + opening.length
    scan.lastIndex = from
  }
  segments.push({ kind: 'text', text: prose.slice(from) })
  return segments
}

function formulaOf(
  prose: string,
  { opening, start, end }: { opening: string; start: number; end: number },
): MathSegment | undefined {
  const content = prose.slice(start, end)
  if (content.trim() === '' || content.length > longestFormula) return undefined
  if (opening === '$' && isMoney(content, prose.charAt(end + 1))) return undefined
  return { kind: opening === '$' || opening === '\\(' ? 'inline' : 'display', text: onOneLine(content) }
}

/**
 * Finds the next occurrence of a delimiter, before the empty line that ends a paragraph. Results are cached, so that a
 * text full of unclosed delimiters is read once and not once for each.
 */
function endFinder(prose: string): (closing: string | undefined, from: number) => number | undefined {
  const known = new Map<string, { from: number; to: number; found: number | undefined }>()
  return (closing, from) => {
    if (closing === undefined) return undefined
    const earlier = known.get(closing)
    if (earlier !== undefined && from >= earlier.from && from <= earlier.to) return earlier.found
    const tokens = closing.startsWith('`') ? /`+|\n[ \t>]*\n/g : /\\[\s\S]|\$\$|\$|\n[ \t>]*\n/g
    tokens.lastIndex = from
    let token = tokens.exec(prose)
    while (token !== null && token[0] !== closing && !token[0].startsWith('\n')) token = tokens.exec(prose)
    const found = token !== null && token[0] === closing ? token.index : undefined
    known.set(closing, { from, to: token?.index ?? prose.length, found })
    return found
  }
}

function isMoney(content: string, next: string): boolean {
  if (/^\s|\s$|\n/.test(content) || /[\p{L}\p{N}]/u.test(next)) return true
  return /^\d[\d.,]*\s*(?:[-–—/]|\p{L}{2,}|\s)/u.test(content) && !/[\\^_={}<>+*]/.test(content)
}

/** TeX treats a line break as a space; Markdown would treat a line that begins with `+` or `-` as a list. */
function onOneLine(tex: string): string {
  const lines = tex.split('\n').map((line) => line.replace(/^[ \t]*>?[ \t]*/, '').replace(/(?<!\\)%.*$/, ''))
  return lines.length === 1 ? tex.trim() : lines.join(' ').trim()
}
