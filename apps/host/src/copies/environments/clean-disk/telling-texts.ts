/** Where a text comes from, for the report of a search for it. */
export type TextKind = 'stored' | 'credentials' | 'history' | 'finding'
export type SecretTrace = { kind: TextKind; text: string }

const shortestLine = 16
const longestText = 4096
/** Random runs of this many letters and digits do not occur elsewhere by chance. */
const runs = { credentials: 10, history: 16 }
const minBitsPerCharacter = 2.8

/**
 * Returns the parts of a removed file that identify its content elsewhere: its lines, and words in it that look random.
 * Words of the language, hostnames and headings of keys identify nothing. Texts are bytes read as latin-1.
 */
export function secretTraces(content: string, kind: 'credentials' | 'history'): SecretTrace[] {
  // A database of cells: its words are in the programs that read it, and cells assign theirs to variables.
  if (content.startsWith('SQLite format 3\0')) return []
  const texts = new Set<string>()
  for (const raw of content.split(/[\n\r\0]+/)) {
    const line = raw.trim().replace(/^: \d+:\d+;/, '')
    if (line.length > longestText || /^(?:-{3,}|#)/.test(line)) continue
    if (line.length >= shortestLine && isTraceLine(line, kind)) texts.add(line)
    for (const word of line.split(/[\s"'`=:,;@()<>{}[\]|&$]+/)) if (isRandom(word, runs[kind])) texts.add(word)
  }
  return [...texts].map((text) => ({ kind, text }))
}

/** Files of credentials also have plain settings, which are in the programs that read them. */
function isTraceLine(line: string, kind: 'credentials' | 'history'): boolean {
  return kind === 'history' || /pass|secret|token|key|auth|login/i.test(line)
}

function isRandom(word: string, shortestRun: number): boolean {
  const run = (word.match(/[A-Za-z0-9+/]+/g) ?? []).reduce(
    (longest, part) => (part.length > longest.length ? part : longest),
    '',
  )
  if (run.length < shortestRun || /^[/~.]/.test(word)) return false
  return /\d/.test(run) && /[A-Za-z]/.test(run) && bitsPerCharacter(run) >= minBitsPerCharacter
}

function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0)
}
