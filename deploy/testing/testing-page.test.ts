import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { invariantTests } from './invariant-tests.ts'
import {
  fullTests,
  invariantsWithoutTest,
  placedKills,
  promiseTests,
  repeatedTests,
  threatsWithoutTest,
} from './testing-page.ts'
import { threatTests } from './threat-tests.ts'

const root = join(import.meta.dirname, '../..')

/** Promises of the product; each is proven in the default set by a test that names it. */
const promises = [
  ...['A1', 'A2', 'A3', 'A4'],
  ...Array.from({ length: 13 }, (_, index) => `C${index + 1}`),
  ...Array.from({ length: 10 }, (_, index) => `G${index + 1}`),
  ...['O1', 'O2', 'O3', 'O4', 'O5', 'O6', 'O7', 'O8', 'O9', 'O10', 'O11', 'O12'],
]

test('each promise has a test that names it, and tests name only promises', () => {
  const named = new Set(promiseTests(root).map(({ promise }) => promise))
  expect(promises.filter((promise) => !named.has(promise))).toEqual([])
})

test('a test that only the full set runs proves no promise', () => {
  const folder = mkdtempSync(join(tmpdir(), 'testing-page-'))
  try {
    mkdirSync(join(folder, 'tests/browser'), { recursive: true })
    const text = "test.runIf(isFull)(\n  'G1: in a second browser',\n  work)\ntest('G2: in the first', work)\n"
    writeFileSync(join(folder, 'tests/browser/some.test.ts'), text)
    expect(fullTests(folder)).toEqual([{ file: 'tests/browser/some.test.ts', title: 'G1: in a second browser' }])
    expect(promiseTests(folder).map(({ promise }) => promise)).toEqual(['G2'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the full set repeats more often than the default set, and each repetition is named once', () => {
  const repeated = repeatedTests(root)
  expect(repeated.filter(({ byDefault, full }) => full <= byDefault)).toEqual([])
  const names = repeated.map(({ what }) => what)
  expect(new Set(names).size).toBe(names.length)
})

test('kills are placed at several boundaries of each work, and each work is named once', () => {
  const placed = placedKills(root)
  expect(placed.length).toBeGreaterThan(0)
  expect(placed.filter(({ at }) => at.length < 2)).toEqual([])
  const works = placed.map(({ of, killed, file }) => `${of}, ${killed}, ${file}`)
  expect(new Set(works).size).toBe(works.length)
})

test('every invariant of the architecture page has a test, and one without is named', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  expect(invariantsWithoutTest(page)).toEqual([])
  const added = '**Invariant:** the moon is made of cheese, all of it,\nand nobody eats from it.'
  expect(invariantsWithoutTest(`${page}\n${added}\n\nMore.\n`)).toEqual([
    'the moon is made of cheese, all of it, and nobody eats from it.',
  ])
})

test('every promise of the threat model has a test, and one without is named', () => {
  const page = readFileSync(join(root, 'docs/threat-model.md'), 'utf8')
  expect(threatsWithoutTest(page)).toEqual([])
  const added = '**Promise:** root of the machine\ncan do nothing.'
  expect(threatsWithoutTest(`${page}\n${added}\n\nMore.\n`)).toEqual(['root of the machine can do nothing.'])
})

test.each([
  { page: 'docs/architecture.md', word: 'Invariant', tests: invariantTests },
  { page: 'docs/threat-model.md', word: 'Promise', tests: threatTests },
])('$page has the listed statements in order, and their tests are where the list says', ({ page, word, tests }) => {
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8').replaceAll(/\s+/g, ' ')
  const text = textOf(page)
  const places = Object.keys(tests).map((beginning) => text.indexOf(`**${word}:** ${beginning}`))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  const missing = Object.values(tests)
    .flat()
    .filter(({ file, title }) => !textOf(file).includes(title))
  expect(missing).toEqual([])
})
