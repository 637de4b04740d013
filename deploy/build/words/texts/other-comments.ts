import { extname } from 'node:path'
import { clear, hideCode, lineOf, type Text } from '../text.ts'

type CommentSyntax = { comments: RegExp; marks: RegExp }

const hashes = { comments: /(?:^[ \t]*#(?!!).*(?:\n|$))+/gm, marks: /^[ \t]*#+/gm }
const slashes = {
  comments: /(?:^[ \t]*\/\/.*(?:\n|$))+|\/\*[\s\S]*?\*\//gm,
  marks: /^[ \t]*\/\/+|\/\*+|\*+\/|^[ \t]*\*/gm,
}
const syntaxes: Readonly<Record<string, CommentSyntax>> = {
  '.py': { comments: new RegExp(`${hashes.comments.source}|"""[\\s\\S]*?"""`, 'gm'), marks: /^[ \t]*#+|"""/gm },
  '.pl': hashes,
  '.css': slashes,
  '.proto': slashes,
}

/** The comments of languages that are not parsed here. */
export function textsOfComments(path: string, source: string): Text[] {
  const syntax = syntaxes[extname(path)]
  if (syntax === undefined) return []
  return [...source.matchAll(syntax.comments)].map((match) => ({
    kind: 'comments',
    path,
    words: hideCode(clear(match[0], syntax.marks)),
    line: lineOf(source, match.index),
  }))
}
