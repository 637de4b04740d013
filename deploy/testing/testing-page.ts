import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stageOf } from './test-arguments.ts'

/** What a test does more often in the full set: written out in a call of `repeats`. */
export type RepeatedTest = { file: string; what: string; byDefault: number; full: number }
export type PromiseTest = { promise: string; file: string; title: string }

const testFiles = ['{apps,packages,images,deploy}/**/*.test.{ts,tsx}', 'tests/**/*.test.ts']
const call = /\brepeats\(\{\s*what: (['"`])(.*?)\1,\s*byDefault: (\d+),\s*full: (\d+),?\s*\}\)/gs
const title = /(?<=[\s([])(['"`])((?:[ACGO]\d{1,2}(?:, | |(?=:)))+): (.*?[^\\])\1/g

export function repeatedTests(root: string): RepeatedTest[] {
  return readTests(root).flatMap(({ file, text }) =>
    [...text.matchAll(call)].map(([, , what = '', byDefault, full]) => {
      return { file, what, byDefault: Number(byDefault), full: Number(full) }
    }),
  )
}

/** Each test that names a promise in its title, once per promise. */
export function promiseTests(root: string): PromiseTest[] {
  return readTests(root).flatMap(({ file, text }) =>
    [...text.matchAll(title)].flatMap(([, , promises = '', words = '']) =>
      promises.split(/[ ,]+/).map((promise) => ({ promise, file, title: plain(words) })),
    ),
  )
}

export function testingPage(root: string): string {
  const repeated = repeatedTests(root)
  const tests = promiseTests(root)
  const promises = [...new Set(tests.map(({ promise }) => promise))].sort(byLetterAndNumber)
  const whole = (promise: string) => tests.filter((each) => each.promise === promise)
  return [
    '# What the tests prove',
    '',
    'This page is generated from the tests (`npm run docs:generate`).',
    '',
    '`./threadbox test` runs the default set, in which each promise of the product has a test. `./threadbox test --full`',
    'runs the same tests and repeats some of them as often as is promised, at random moments; its last result is in',
    '[test-record.md](test-record.md).',
    '',
    '## What only the full set repeats',
    '',
    '| What | Default | Full | Test |',
    '|---|---|---|---|',
    ...repeated.map(({ what, byDefault, full, file }) => `| ${what} | ${byDefault} | ${full} | \`${file}\` |`),
    '',
    '## Promises and their tests',
    '',
    'Tests of the whole product; tests of parts where a promise is one part’s.',
    '',
    ...promises.flatMap((promise) => [
      `### ${promise}`,
      '',
      ...overTheWholeProduct(whole(promise)).map((each) => `- ${each.title} (\`${each.file}\`)`),
      '',
    ]),
  ].join('\n')
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

/** Of a title as it stands in the source: a template names a value that only the run has. */
function plain(words: string): string {
  return words.replaceAll(/\$\{[^}]*\}/g, '…').replaceAll(/\\(['"`\\])/g, '$1')
}

function byLetterAndNumber(one: string, other: string): number {
  return one.charCodeAt(0) - other.charCodeAt(0) || Number(one.slice(1)) - Number(other.slice(1))
}
