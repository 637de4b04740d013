import { create } from '@bufbuild/protobuf'
import { filesystem } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { present } from './file-entry.logic.ts'

const entry = (info: object) => present(create(filesystem.EntryInfoSchema, info))

test('C9: an entry of a guest has numbers and lengths that exist', () => {
  const far = entry({ size: 2n ** 63n - 1n, modifiedTime: { seconds: 2n ** 63n - 1n, nanos: 2 ** 31 - 1 } })
  expect(far.sizeBytes).toBe(Number.MAX_SAFE_INTEGER)
  expect(new Date(far.modifiedAt).getTime()).toBe(8.64e15)
  expect(entry({ size: -1n, modifiedTime: { seconds: -(2n ** 63n) } })).toMatchObject({
    sizeBytes: 0,
    modifiedAt: -8.64e15,
  })
  const long = 'x'.repeat(1_000_000)
  const cut = entry({ name: long, path: long, permissions: long, symlinkTarget: long })
  expect(JSON.stringify(cut).length).toBeLessThan(20_000)
})

test('C9: a name of a guest contains no NUL, and an unknown type is another one', () => {
  expect(entry({ name: 'a\0b', path: '/a\0b', type: 99 })).toMatchObject({
    name: 'a\u{fffd}b',
    path: '/a\u{fffd}b',
    type: 'other',
  })
})
