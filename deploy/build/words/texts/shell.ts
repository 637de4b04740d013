import { clear, hide, hideCode, lineOf, type Text } from '../text.ts'
import { type ShellPiece, shellPieces } from './shell-pieces.ts'

/** A script’s messages and comments. A string is a text if it contains three consecutive words. */
export function textsOfShell(path: string, source: string): Text[] {
  return shellPieces(source).flatMap((piece): Text[] => {
    const isComment = piece.type === 'comment'
    if (!isComment && !isProse(piece.text)) return []
    const words = isComment ? commentWords(piece.text) : stringWords(piece)
    return [{ kind: isComment ? 'comments' : 'launcher', path, words, line: lineOf(source, piece.start) }]
  })
}

/** Programs in awk and sed are strings too. */
function isProse(text: string): boolean {
  return /(\p{L}[\p{L}'’-]*[,.:;]? ){2}\p{L}/u.test(text) && !/^(BEGIN|NR|s\/|\/|\^|\[\w+\]$)/m.test(text)
}

function commentWords(text: string): string {
  return hideCode(hide(clear(text, /^[ \t]*#+/gm), /shellcheck .*/g))
}

function stringWords({ text }: ShellPiece): string {
  return hideCode(hide(text, /\$\([^)]*\)|\$\{[^}]*\}|%[-\d.]*[sdbq]|\\[nt]/g))
}
