import { expect, test } from 'vitest'
import { checkParsers, type OtherInput, type Parsers } from './rules/parsers.ts'
import { parseSource } from './source.ts'

const parser = 'packages/disk-store/src/frames.ts'
const property = 'packages/disk-store/src/frames.fuzz.test.ts'
const whole = "import { read } from './frames.ts'\ntest('any', () => checkProperty('frames', all(read)))"

function found(texts: Record<string, string>, lists: { parsers?: Parsers; otherInput?: OtherInput } = {}) {
  const files = Object.entries(texts).map(([path, text]) => parseSource(path, text))
  return checkParsers(files, { parsers: {}, otherInput: {}, ...lists }).map(({ message }) => message)
}

test.each([
  'const value = JSON.parse(text)',
  'const length = bytes.readUInt16BE(0)',
  'const length = bytes.readBigUInt64LE(at)',
  'const view = new DataView(bytes.buffer)',
  'const name = decodeURIComponent(path)',
  'const header = parseDocument(yaml)',
])('a file that decodes input is listed: %s', (line) => {
  expect(found({ [parser]: `\n${line}` })).toEqual([
    `${parser}:2 decodes input. List it in deploy/build/parsers.ts, with a property, or with the reason why its input needs none.`,
  ])
})

test('a column of the database, a comment, a schema and a test are no such input', () => {
  const text =
    '// JSON.parse(text)\nconst limits = JSON.parse(row.limits_json)\nconst all = JSON.parse(row.json)\nschema.parse(x)'
  expect(found({ [parser]: text, [property]: 'JSON.parse(text)' })).toEqual([])
})

test('a listed parser has a test that imports it and checks a property', () => {
  const lists = { parsers: { [parser]: property } }
  const problem = `${parser} parses untrusted bytes, but ${property} has no property of it (checkProperty).`
  expect(found({ [parser]: 'JSON.parse(text)', [property]: whole }, lists)).toEqual([])
  expect(found({ [parser]: '' }, lists)).toEqual([problem])
  expect(found({ [parser]: '', [property]: "import { read } from './frames.ts'" }, lists)).toEqual([problem])
  expect(found({ [parser]: '', [property]: whole.replace('frames.ts', 'other.ts') }, lists)).toEqual([problem])
})

test('lines about files that moved, or that need no exception, are to be removed', () => {
  expect(found({}, { parsers: { [parser]: property } })).toEqual([
    `deploy/build/parsers.ts lists ${parser}, which does not exist.`,
  ])
  expect(found({ [parser]: 'const value = 1' }, { otherInput: { 'our own file': [parser] } })).toEqual([
    `deploy/build/parsers.ts excepts ${parser}, which decodes nothing or has a property: remove the line.`,
  ])
})
