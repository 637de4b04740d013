import { expect, test } from 'vitest'
import { findCgroups, findDiskRate } from './machine-checks.ts'

const find = (unified: readonly string[] | undefined, mebibytesPerSecond = 200) =>
  findDiskRate({ mebibytesPerSecond, unified })

test('version 1 of cgroups is named with what it costs', () => {
  expect(findCgroups({ version: 2, missing: [] })).toMatchObject({ state: 'ok', code: 'cgroups-fine' })
  const found = findCgroups({ version: 1, missing: [] })
  expect(found).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^version 1: .* 5–30 ms later/) })
  expect(findCgroups({ version: 1, missing: ['pids'] })).toMatchObject({ state: 'failed', code: 'cgroups-missing' })
})

test('a disk rate is not enforced on cgroup v1, nor on v2 without its controller', () => {
  const expected = { state: 'warning', code: 'disk-rate-not-enforced' }
  expect(find(undefined)).toMatchObject({ ...expected, values: { version: 1 } })
  expect(find(['memory', 'pids'])).toMatchObject({ ...expected, values: { version: 2 } })
  expect(find(undefined).detail).toContain('not enforced on this kernel')
})

test('an enforced rate is named, and no rate is no warning on any kernel', () => {
  expect(find(['io', 'memory'])).toMatchObject({ state: 'ok', code: 'disk-rate-fine', values: { rate: 200 } })
  expect(find(['io'], 0)).toMatchObject({ state: 'ok', code: 'disk-rate-none' })
  expect(find(undefined, 0)).toMatchObject({ state: 'ok', code: 'disk-rate-none' })
})
