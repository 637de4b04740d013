import { expect, test } from 'vitest'
import { diffLinesOf } from './diff.logic.ts'

test('a diff becomes numbered lines without its header', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -3,3 +3,3 @@ def f():\n same\n-old\n+new\n\\ No newline at end of file\n'
  expect(diffLinesOf(diff)).toEqual([
    { kind: 'hunk', text: 'def f():', oldNumber: null, newNumber: null },
    { kind: 'context', text: 'same', oldNumber: 3, newNumber: 3 },
    { kind: 'removed', text: 'old', oldNumber: 4, newNumber: null },
    { kind: 'added', text: 'new', oldNumber: null, newNumber: 4 },
  ])
})

test('a removed line that looks like a header is a removed line', () => {
  const lines = diffLinesOf('@@ -1 +0,0 @@\n--- not a header\n')
  expect(lines[1]).toMatchObject({ kind: 'removed', text: '-- not a header' })
})

test('an empty diff has no lines', () => {
  expect(diffLinesOf('')).toEqual([])
})
