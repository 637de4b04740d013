import { expect, test } from 'vitest'
import { manifestSchema } from './manifest.ts'

test('a manifest is parsed with any length that a sandbox reports for files in memory and deleted files', () => {
  const { memoryFiles, deletedOpenFiles } = manifestSchema.shape
  const sparse = { path: '/dev/shm/sparse', bytes: 2 ** 63 - 1, changedAt: 1 }
  expect(memoryFiles.parse([sparse])).toEqual([sparse])
  const deleted = { pid: 7, path: '/tmp/sparse', bytes: 2 ** 60 }
  expect(deletedOpenFiles.parse([deleted])).toEqual([deleted])
})
