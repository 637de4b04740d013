import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InvariantTest, invariantTests } from './invariant-tests.ts'
import { stageOf } from './test-arguments.ts'
import { threatTests } from './threat-tests.ts'

/** What a test does more often in the full set: the literal arguments of a call of `repeats`. */
export type RepeatedTest = { file: string; what: string; byDefault: number; full: number }
/** A kill that a test places at each boundary of a piece of work: the literal arguments of a call of `boundaries`. */
export type PlacedKill = { file: string; of: string; killed: string; at: string[] }
export type PromiseTest = { promise: string; file: string; title: string }
/** A test that runs in the full set only. It proves none of the promises, which each default run has to prove. */
export type FullTest = { file: string; title: string }

/** A property of a parser: the literal name in a call of `checkProperty`. */
export type CheckedProperty = { name: string; file: string }

const testFiles = ['{apps,packages,images,deploy,docs-site}/**/*.test.{ts,tsx}', 'tests/**/*.test.ts']
const call = /\brepeats\(\{\s*what: (['"`])(.*?)\1,\s*byDefault: ([\d_]+),\s*full: ([\d_]+),?\s*\}\)/gs
const placed = /\bboundaries\(\{\s*of: '([^']*)',\s*killed: '([^']*)',\s*at: \[([^\]]*)\],?\s*\}\)/gs
const property = /\bcheckProperty\(\s*'([a-z0-9-]+)'/g
const fullOnly = /\btest\.runIf\(isFull\)\(\s*(['"`])(.*?[^\\])\1/gs
const title = /(?<=[\s([])(['"`])((?:[ACGO]\d{1,2}(?:, | |(?=:)))+): (.*?[^\\])\1/g

export function repeatedTests(root: string): RepeatedTest[] {
  return readTests(root).flatMap(({ file, text }) =>
    [...text.matchAll(call)].map(([, , what = '', byDefault, full]) => {
      return { file, what, byDefault: countOf(byDefault), full: countOf(full) }
    }),
  )
}

export function placedKills(root: string): PlacedKill[] {
  return readTests(root).flatMap(({ file, text }) =>
    [...text.matchAll(placed)].map(([, of = '', killed = '', at = '']) => {
      return { file, of, killed, at: [...at.matchAll(/'([^']*)'/g)].map(([, boundary = '']) => boundary) }
    }),
  )
}

/** All properties. Their names are unique, because the cases of each have a folder. */
export function checkedProperties(root: string): CheckedProperty[] {
  const tests = readTests(root).filter(({ file }) => file.endsWith('.fuzz.test.ts'))
  const found = tests.flatMap(({ file, text }) => [...text.matchAll(property)].map(([, name = '']) => ({ name, file })))
  const twice = found.find(({ name }, index) => found.findIndex((other) => other.name === name) !== index)
  if (twice !== undefined) throw new Error(`Two properties have the name ${twice.name}.`)
  return found
}

export function fullTests(root: string): FullTest[] {
  return readTests(root).flatMap(({ file, text }) =>
    [...text.matchAll(fullOnly)].map(([, , words = '']) => ({ file, title: plain(words) })),
  )
}

/** Each test of the default set that names a promise in its title, once per promise. */
export function promiseTests(root: string): PromiseTest[] {
  return readTests(root).flatMap(({ file, text }) =>
    [...text.replaceAll(fullOnly, '').matchAll(title)].flatMap(([, , promises = '', words = '']) =>
      promises.split(/[ ,]+/).map((promise) => ({ promise, file, title: plain(words) })),
    ),
  )
}

/** Invariants of the architecture page without a test in the list. */
export function invariantsWithoutTest(architecture: string): string[] {
  return without(Object.keys(invariantTests), architecture.matchAll(/^\*\*Invariant:\*\* (.*(?:\n.+)*)/gm))
}

/** Promises of the threat model without a test in the list. */
export function threatsWithoutTest(threatModel: string): string[] {
  return without(Object.keys(threatTests), threatModel.matchAll(/^\*\*Promise:\*\* (.*(?:\n.+)*)/gm))
}

/** The statements that begin with none of these words. */
function without(tested: string[], statements: Iterable<RegExpMatchArray>): string[] {
  const texts = [...statements].map(([, text = '']) => text.replaceAll('\n', ' '))
  return texts.filter((text) => !tested.some((beginning) => text.startsWith(beginning)))
}

function refuseUntested(page: string, list: string, untested: string[]): void {
  if (untested.length === 0) return
  throw new Error(`Each of these statements of ${page} needs a test in ${list}:\n- ${untested.join('\n- ')}`)
}

export function testingPage(root: string): string {
  const [architecture, threats] = ['docs/architecture.md', 'docs/threat-model.md'] as const
  const textOf = (page: string) => readFileSync(join(root, page), 'utf8')
  refuseUntested(architecture, 'deploy/testing/invariant-tests.ts', invariantsWithoutTest(textOf(architecture)))
  refuseUntested(threats, 'deploy/testing/threat-tests.ts', threatsWithoutTest(textOf(threats)))
  const repeated = repeatedTests(root)
  const tests = promiseTests(root)
  const promises = [...new Set(tests.map(({ promise }) => promise))].sort(byLetterAndNumber)
  const whole = (promise: string) => tests.filter((each) => each.promise === promise)
  return [
    '# What the tests prove',
    '',
    'This page is generated from the tests (`npm run docs:generate`).',
    '',
    '`./threadbox test` runs the default set. Each promise of the product has a test in it. `./threadbox test --full` runs',
    'the same tests and repeats some of them at the promised counts, at random moments. Its last result is in',
    '[test-record.md](test-record.md).',
    '',
    '## What only the full set runs',
    '',
    'None of these proves a promise.',
    '',
    ...fullTests(root).map(({ title: words, file }) => `- ${words} (\`${file}\`)`),
    '',
    '## What only the full set repeats',
    '',
    '| What | Default | Full | Test |',
    '|---|---|---|---|',
    ...repeated.map(({ what, byDefault, full, file }) => `| ${what} | ${byDefault} | ${full} | \`${file}\` |`),
    '',
    '## Boundaries where something is killed',
    '',
    'Both sets kill once at each boundary of a row. The full set adds kills at random moments (above).',
    '',
    '| Work | Killed | Boundaries | Test |',
    '|---|---|---|---|',
    ...placedKills(root).map(({ of, killed, at, file }) => `| ${of} | ${killed} | ${at.join('; ')} | \`${file}\` |`),
    '',
    '## Properties of parsers',
    '',
    'Parsers of untrusted bytes have properties that hold for any input (fast-check). The default set checks some hundred',
    'inputs each, `./threadbox fuzz` as many as its time allows.',
    '',
    '| Property | Test |',
    '|---|---|',
    ...checkedProperties(root).map(({ name, file }) => `| ${name} | \`${file}\` |`),
    '',
    '## Invariants and their tests',
    '',
    'Every invariant of [architecture.md](architecture.md), with the tests that fail when it is broken.',
    '',
    '| Invariant | Test |',
    '|---|---|',
    ...rowsOf(invariantTests),
    '',
    '## Promises of the threat model',
    '',
    'Every promise of the [threat model](threat-model.md), with the tests that fail when it is broken.',
    '',
    '| Promise | Test |',
    '|---|---|',
    ...rowsOf(threatTests),
    '',
    '## Promises and their tests',
    '',
    'Tests of the whole product, or of a part if the promise concerns that part alone. A5, documentation in the reader’s',
    'language, has no test yet: there is one language.',
    '',
    ...promises.flatMap((promise) => [
      `### ${promise}`,
      '',
      ...overTheWholeProduct(whole(promise)).map((each) => `- ${each.title} (\`${each.file}\`)`),
      '',
    ]),
  ].join('\n')
}

/** The number that a literal in the source stands for. */
function countOf(digits = ''): number {
  return Number(digits.replaceAll('_', ''))
}

function rowsOf(tests: typeof invariantTests): string[] {
  return Object.entries(tests).map(([statement, proofs]) => `| ${statement} | ${proofs.map(linkOf).join('<br>')} |`)
}

function linkOf({ file, title: words }: InvariantTest): string {
  return `${words} (\`${file}\`)`
}

function overTheWholeProduct(tests: PromiseTest[]): PromiseTest[] {
  const whole = tests.filter(({ file }) => stageOf(file) !== 'unit')
  return whole.length > 0 ? whole : tests
}

function readTests(root: string): { file: string; text: string }[] {
  return globSync(testFiles, { cwd: root, exclude: (path) => path.endsWith('node_modules') })
    .sort()
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** The title that a literal in the source stands for: a placeholder names a value that only the run has. */
function plain(words: string): string {
  return words.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll(/\\(['"`\\])/g, '$1')
}

function byLetterAndNumber(one: string, other: string): number {
  return one.charCodeAt(0) - other.charCodeAt(0) || Number(one.slice(1)) - Number(other.slice(1))
}
