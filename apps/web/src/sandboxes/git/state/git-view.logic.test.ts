import { expect, test } from 'vitest'
import { changedLinesOf, columnsOf, readGitView, shownLine } from './git-view.logic.ts'

test('invalid fields of a stored view get their defaults', () => {
  const first = { repository: null, file: null }
  for (const value of [null, 'x', 7, [], { repository: 5, file: {} }, { repository: 'relative' }]) {
    expect(readGitView(value)).toEqual(first)
  }
  const view = { repository: '/home/user/a', file: 'b/c.txt' }
  expect(readGitView({ ...view, more: 1 })).toEqual(view)
})

test('a line of a file shows hidden characters, and keeps its tabs', () => {
  expect(shownLine('\tif (admin\u202e) {\u001b[31m\r')).toBe('\tif (admin‹U+202E›) {␛[31m␍')
})

test('columns count tabs to their stops and wide characters twice', () => {
  expect([columnsOf(''), columnsOf('abc'), columnsOf('a\tb'), columnsOf('日本'), columnsOf('\t\t')]).toEqual([
    0, 3, 5, 4, 8,
  ])
})

test('lines that git does not count are not counted', () => {
  const file = { path: 'a', from: null, change: 'modified' as const, isBinary: false }
  expect(changedLinesOf({ ...file, addedLines: 2, removedLines: 3 })).toBe(5)
  expect(changedLinesOf({ ...file, addedLines: null, removedLines: null })).toBeNull()
})
