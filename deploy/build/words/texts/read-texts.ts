import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Text } from '../text.ts'
import { textsOfMarkdown } from './markdown.ts'
import { textsOfComments } from './other-comments.ts'
import { textsOfShell } from './shell.ts'
import { textsOfTypeScript } from './typescript.ts'

const readers: readonly [RegExp, (path: string, source: string) => Text[]][] = [
  [/\.(tsx?|js|mjs)$/, textsOfTypeScript],
  [/\.md$/, textsOfMarkdown],
  [/\.sh$|\.bash$|^threadbox$|\/native\/(df|launch|look|start)$/, textsOfShell],
  [/\.(py|pl|css|proto)$/, textsOfComments],
]

const places = [
  'threadbox',
  '*.{md,ts}',
  'docs/**/*.md',
  'apps/*/{src,dev,public}/**/*',
  'packages/*/{src,proto}/**/*',
  'deploy/**/*',
  'docs-site/{*.{md,ts},examples/**/*,src/**/*,tools/**/*}',
  'images/**/*',
  'tests/**/*',
]

/** Generated, written by others, or the phrases themselves. */
const leftOut = [
  /(^|\/)(node_modules|dist|generated|\.astro)\//,
  /\.d\.ts$/,
  // Languages without a dictionary here.
  /^(docs-site\/src\/(words|content\/docs)|apps\/web\/src\/i18n)\/(it|ja)(\.ts$|\/)/,
  /^docs-site\/src\/content\/docs\/(packages|build\/api|operate\/(errors|settings))\.md$/,
  /^docs\/(errors|packages|settings|testing|test-record)\.md$/,
  /\/cloudpickle\.py$/,
  /^packages\/protocol\/proto\/(filesystem|process)\//,
  /^deploy\/build\/words\/(rules\/|.*\.test\.ts$)/,
]

/** All checked texts of the repository, ordered by path. */
export function readTexts(root: string): Text[] {
  return globSync(places, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|generated)$/.test(path) })
    .filter((path) => !leftOut.some((pattern) => pattern.test(path)))
    .sort()
    .flatMap((path) => textsOf(path, () => readFileSync(join(root, path), 'utf8')))
}

/** `read` is called only for a file with texts. */
export function textsOf(path: string, read: () => string): Text[] {
  const reader = readers.find(([pattern]) => pattern.test(path))?.[1]
  if (reader === undefined) return []
  return [{ kind: 'names', path, words: basename(path), line: 1, names: 'file' }, ...reader(path, read())]
}
