import { expect, test } from 'vitest'
import { fileChangesSchema } from './sandboxes.ts'

test('file changes are parsed with any length that a sandbox reports for a file', () => {
  const counts = { removedCount: 0, changedCount: 1, addedCount: 0 }
  const extended = [{ name: 'home/user/sparse', addedBytes: 2 ** 63 - 1 }]
  const changes = { since: 1, removed: [], changed: ['home/user/sparse'], added: [], ...counts, extended, folders: [] }
  expect(fileChangesSchema.parse(changes)).toEqual(changes)
})
