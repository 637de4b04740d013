import { expect, test } from 'vitest'
import { fileChangesSchema } from './sandboxes.ts'

test('changes of files are read whatever the length that a sandbox gives one of them', () => {
  const counts = { removedCount: 0, changedCount: 1, addedCount: 0 }
  const extended = [{ name: 'home/user/sparse', addedBytes: 2 ** 63 - 1 }]
  const changes = { since: 1, removed: [], changed: ['home/user/sparse'], added: [], ...counts, extended, folders: [] }
  expect(fileChangesSchema.parse(changes)).toEqual(changes)
})
