/** A piece of a text, and whether it matches the search. */
export type TextPiece = { text: string; isMatch: boolean }

/** Splits `text` at the words of `query`, ignoring case and accents. Joined, the pieces are the original text. */
export function highlight(text: string, query: string): TextPiece[] {
  const words = foldedWords(query)
  if (words.length === 0 || text === '') return text === '' ? [] : [{ text, isMatch: false }]
  const { folded, origin } = foldWithOrigin(text)
  const isMatch = new Array<boolean>(text.length).fill(false)
  for (const word of words) {
    for (let at = folded.indexOf(word); at >= 0; at = folded.indexOf(word, at + word.length)) {
      const end = origin[at + word.length] ?? text.length
      isMatch.fill(true, origin[at] ?? text.length, end)
    }
  }
  return piecesOf(text, isMatch)
}

/** True if the text contains every word of the query. An empty query matches every text. */
export function matches(text: string, query: string): boolean {
  const folded = fold(text)
  return foldedWords(query).every((word) => folded.includes(word))
}

/**
 * How well a text matches a query: lower is better, `null` if it doesn’t. A match at the beginning of the text beats
 * one at the beginning of a word, which beats one in the middle of a word.
 */
export function rank(text: string, query: string): number | null {
  if (!matches(text, query)) return null
  const folded = fold(text)
  const worst = foldedWords(query).map((word) => {
    if (folded.startsWith(word)) return 0
    return beginsAWord(folded, word) ? 1 : 2
  })
  return Math.max(0, ...worst)
}

function beginsAWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]$/u.test(text.slice(0, at))) return true
  }
  return false
}

function foldedWords(query: string): string[] {
  return fold(query).split(/\s+/).filter(Boolean)
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

/** The folded text, and for each of its code units the index in the original. */
function foldWithOrigin(text: string): { folded: string; origin: number[] } {
  let folded = ''
  const origin: number[] = []
  let at = 0
  for (const character of text) {
    const piece = fold(character)
    for (let unit = 0; unit < piece.length; unit++) origin.push(at)
    folded += piece
    at += character.length
  }
  return { folded, origin }
}

function piecesOf(text: string, isMatch: readonly boolean[]): TextPiece[] {
  const pieces: TextPiece[] = []
  for (let at = 0; at < text.length; at++) {
    const last = pieces.at(-1)
    const character = text.charAt(at)
    if (last !== undefined && last.isMatch === isMatch[at]) last.text += character
    else pieces.push({ text: character, isMatch: isMatch[at] === true })
  }
  return pieces
}
