import { expect, test } from 'vitest'
import { rewindPreviewSchema } from './snapshots.ts'

test('a rewind preview is parsed with any length that a sandbox reports for a file', () => {
  const { files } = rewindPreviewSchema.shape.disk.shape
  const sparse = {
    path: '/home/user/sparse',
    change: 'changed',
    bytesNow: 2 ** 63 - 1,
    bytesThen: 2 ** 60,
    lines: null,
  }
  expect(files.parse([sparse])).toEqual([sparse])
})
