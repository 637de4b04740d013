import type { Node } from 'oxc-parser'
import { hidden, lineBreaksOf } from '../text.ts'

/** A string, a template, or a sum that contains one. */
export function isStringExpression(node: Node): boolean {
  if (node.type === 'BinaryExpression') {
    return node.operator === '+' && (isStringExpression(node.left) || isStringExpression(node.right))
  }
  return node.type === 'TemplateLiteral' || node.type === 'JSXText' || isString(node)
}

/**
 * The words of a string expression as one text, in which a sentence continues from one literal to the next. `others`
 * are the expressions between them.
 */
export function wordsOfString(node: Node, source: string): { words: string; others: Node[] } {
  let words = ''
  let end = node.start
  const pieces = piecesOf(node)
  for (const piece of pieces) {
    words += lineBreaksOf(source.slice(end, piece.start))
    const raw = source.slice(piece.start, piece.end)
    words += piece.other === undefined ? withoutEscapes(raw) : hidden + lineBreaksOf(raw)
    end = piece.end
  }
  return { words, others: pieces.flatMap(({ other }) => other ?? []) }
}

type Piece = { start: number; end: number; other?: Node }

function piecesOf(node: Node): Piece[] {
  if (node.type === 'BinaryExpression' && isStringExpression(node)) {
    return [...piecesOf(node.left), ...piecesOf(node.right)]
  }
  if (node.type === 'TemplateLiteral') {
    const quasis = node.quasis.map((quasi) => insideMarks(quasi, quasi.value.raw.length))
    return [...quasis, ...node.expressions.flatMap(piecesOf)].sort((left, right) => left.start - right.start)
  }
  if (node.type === 'JSXText') return [{ start: node.start, end: node.end }]
  if (isString(node)) return [{ start: node.start + 1, end: node.end - 1 }]
  return [{ start: node.start, end: node.end, other: node }]
}

/** In TypeScript, the parser includes a template’s delimiters in its pieces; in JavaScript, it does not. */
function insideMarks({ start, end }: Piece, length: number): Piece {
  const from = end - start === length ? start : start + 1
  return { start: from, end: from + length }
}

function isString(node: Node): boolean {
  return node.type === 'Literal' && typeof node.value === 'string'
}

function withoutEscapes(raw: string): string {
  return raw.replaceAll(/\\(.)/g, (_match, character: string) => (/\w/.test(character) ? ' ' : character))
}
