import { expect, test } from 'vitest'
import { comparedLines } from './compared-lines.logic.ts'

const own = (lines: readonly { text: string; isOwn: boolean }[]) =>
  lines.filter(({ isOwn }) => isOwn).map(({ text }) => text)

test('C8: lines that only one of two texts has are marked, wherever they are', () => {
  const { mine, theirs } = comparedLines('a\nb\nmine\nc\nd\n', 'new\na\nb\nc\ntheirs\nd\n')
  expect(own(mine)).toEqual(['mine'])
  expect(own(theirs)).toEqual(['new', 'theirs'])
  expect(mine.map(({ text }) => text)).toEqual(['a', 'b', 'mine', 'c', 'd'])
})

test('C8: equal texts have no own lines, whatever their line endings', () => {
  const { mine, theirs } = comparedLines('a\r\nb\r\n', 'a\nb\n')
  expect([...own(mine), ...own(theirs)]).toEqual([])
  expect(comparedLines('', 'x')).toEqual({ mine: [], theirs: [{ text: 'x', isOwn: true }] })
})

test('C8: texts too large to compare line by line are own between their common beginning and end', () => {
  const lines = (word: string) => Array.from({ length: 3000 }, (_, at) => `${word} ${at}`)
  const { mine, theirs } = comparedLines(
    ['same', ...lines('mine'), 'end'].join('\n'),
    ['same', ...lines('theirs'), 'end'].join('\n'),
  )
  expect(own(mine)).toHaveLength(3000)
  expect(own(theirs)).toHaveLength(3000)
})
