/** Where a text occurs. `german` is every German text, in any file. */
export const kinds = [
  'screens',
  'german',
  'errors',
  'settings',
  'tools',
  'routes',
  'launcher',
  'messages',
  'docs',
  'tests',
  'comments',
  'names',
] as const
export type Kind = (typeof kinds)[number]

/** A text that people read. `names` has one entry for each declared name and each file name. */
export type Text = {
  kind: Kind
  path: string
  /** As in the file, with all its line breaks; code, placeholders and the marks of the language are masked. */
  words: string
  /** Line of the first character, from 1. */
  line: number
  /** For names: what the name denotes. */
  names?: NameOf
}
export type NameOf = 'value' | 'type' | 'file'

export type Hit = { rule: string; kind: Kind; path: string; line: number; text: string; advice: string }

/** Replaces what is not prose: a phrase neither begins nor continues across it. */
export const hidden = '\uFFFC'

/** Replaces every match with `hidden`. Line breaks stay, since lines are counted. */
export function hide(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (match) => hidden + lineBreaksOf(match))
}

/** Replaces every match with a space: a phrase continues across it. */
export function clear(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (match) => ` ${lineBreaksOf(match)}`)
}

export function lineBreaksOf(text: string): string {
  return text.replaceAll(/[^\n]/g, '')
}

/** Code spans, addresses, paths, file names, options, environment variables and placeholders. */
const notProse: readonly RegExp[] = [
  /`[^`\n]*`/g,
  /\bhttps?:\/\/[^\s)'"<>]+/g,
  /\{\{[^{}]*\}\}|\{\w+\}/g,
  /(?<![\w.])[~.]{0,2}\/[\w.@*-]+(?:\/[\w.@*-]*)*/g,
  /\b[\w.-]+\/[\w.@*/-]*\.\w+\b/g,
  /\b[\w-]+(?:\.[\w-]+)*\.(?:tsx?|js|mjs|json|md|css|sh|py|proto|html|sock|toml|ya?ml|db|env|txt|tar|gz|zst|zip)\b/g,
  /(?<![\w-])--?[a-z][\w-]*/g,
  /\$\{?[A-Za-z_]\w*\}?/g,
  /@\w+(?:\/[\w-]+)*/g,
]

export function hideCode(text: string): string {
  return notProse.reduce(hide, text)
}

/** Line of `offset` in `text`, from 1. */
export function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line += 1
  return line
}
