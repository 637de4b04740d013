import { expect, test } from 'vitest'
import { secretTraces } from './telling-texts.ts'

const textsOf = (content: string, kind: 'credentials' | 'history') =>
  secretTraces(content, kind).map(({ text }) => text)

test.each([
  ['machine example.com login me password correct-horse', ['machine example.com login me password correct-horse']],
  ['https://me:9f86d081884c7d65@example.com', ['9f86d081884c7d65']],
  ['aws_secret_access_key=wJalrXUtnFEMI7MDENG', ['aws_secret_access_key=wJalrXUtnFEMI7MDENG', 'wJalrXUtnFEMI7MDENG']],
])('of credentials: the line, and words that look random (%s)', (content, texts) => {
  expect(textsOf(content, 'credentials')).toEqual(texts)
})

test.each(['-----BEGIN OPENSSH PRIVATE KEY-----', '# the token of the registry', 'region = eu-central-1', '[default]'])(
  'a text that programs contain too is no trace: %s',
  (content) => {
    expect(textsOf(content, 'credentials')).toEqual([])
  },
)

test('of a history: commands without the time that a shell puts before them, and long random words', () => {
  expect(textsOf(': 1700000000:0;curl -H "x: 5e884898da28047151d0e56f8dc62927"\nls\n', 'history')).toEqual([
    'curl -H "x: 5e884898da28047151d0e56f8dc62927"',
    '5e884898da28047151d0e56f8dc62927',
  ])
})
