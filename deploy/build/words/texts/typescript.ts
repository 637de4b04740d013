import { type Comment, type Node, parseSync, visitorKeys } from 'oxc-parser'
import { clear, hideCode, type Kind, lineOf, type NameOf, type Text } from '../text.ts'
import { declaredNames } from './declared-names.ts'
import { isStringExpression, wordsOfString } from './string-expressions.ts'
import { type Context, kindOfString } from './string-kinds.ts'

/** Comments, declared names, and those strings of a source file that people read. */
export function textsOfTypeScript(path: string, source: string): Text[] {
  const { program, comments, errors } = parseSync(path, source)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const found: Text[] = joinLines(comments, source).map((comment) => commentText({ path, source, comment }))
  walk(program, { path })
  return found

  function walk(node: Node, context: Context): void {
    for (const { name, start, of } of declaredNames(node)) add('names', { words: name, start, of })
    if (isSkipped(node)) return
    if (isStringExpression(node)) readString(node, context)
    else for (const child of childrenOf(node)) walk(child, contextOf({ parent: node, child, context }))
  }

  function readString(node: Node, context: Context): void {
    const { words, others } = wordsOfString(node, source)
    const kind = kindOfString(context, words)
    if (kind !== undefined) add(kind, { words: hideCode(words), start: node.start })
    for (const other of others) walk(other, context)
  }

  function add(kind: Kind, { words, start, of }: { words: string; start: number; of?: NameOf }): void {
    found.push({ kind, path, words, line: lineOf(source, start), ...(of === undefined ? {} : { names: of }) })
  }
}

/** Strings that identify something to the program. */
function isSkipped(node: Node): boolean {
  if (node.type === 'JSXAttribute') {
    return node.name.type === 'JSXIdentifier' && /^(className|style|d|viewBox|href|src)$/.test(node.name.name)
  }
  return /^(ImportDeclaration|ExportAllDeclaration|ImportExpression|TSLiteralType|TSImportType)$/.test(node.type)
}

function contextOf({ parent, child, context }: { parent: Node; child: Node; context: Context }): Context {
  if (parent.type === 'CallExpression' || parent.type === 'NewExpression') {
    const callee = parent.callee === child ? undefined : calleeName(parent.callee)
    return { ...context, callee, isFirstArgument: parent.arguments[0] === child }
  }
  if (parent.type === 'Property' && parent.value === child && parent.key.type === 'Identifier') {
    return { ...context, properties: [...(context.properties ?? []), parent.key.name] }
  }
  if (parent.type === 'VariableDeclarator' && parent.init === child && parent.id.type === 'Identifier') {
    return { ...context, variable: parent.id.name }
  }
  if (parent.type === 'TaggedTemplateExpression') return { ...context, callee: calleeName(parent.tag) }
  return context
}

/** `it` of `it.each(rows)(…)`. */
function calleeName(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name
  if (node.type === 'MemberExpression') return calleeName(node.object)
  if (node.type === 'CallExpression') return calleeName(node.callee)
  if (node.type === 'TaggedTemplateExpression') return calleeName(node.tag)
  return undefined
}

function childrenOf(node: Node): Node[] {
  return (visitorKeys[node.type] ?? []).flatMap((key) => {
    if (node.type === 'Property' && key === 'key' && !node.computed) return []
    const value: unknown = Reflect.get(node, key)
    return Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []
  })
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

/** A sentence continues over consecutive `//` lines. */
function joinLines(comments: readonly Comment[], source: string): Comment[] {
  const joined: Comment[] = []
  for (const comment of comments) {
    const last = joined.at(-1)
    const isNext = last !== undefined && /^\n[ \t]*$/.test(source.slice(last.end, comment.start))
    if (isNext && last.type === 'Line' && comment.type === 'Line') {
      joined[joined.length - 1] = { ...last, end: comment.end }
    } else joined.push(comment)
  }
  return joined
}

function commentText({ path, source, comment }: { path: string; source: string; comment: Comment }): Text {
  const raw = source.slice(comment.start, comment.end)
  const plain = clear(clear(raw, /^\s*\/\/+|^\/\*+|\*+\/$/gm), /^\s*\*(?!\/)/gm)
  return { kind: 'comments', path, words: hideCode(plain), line: lineOf(source, comment.start) }
}
