import { defineError } from '@threadbox/errors'
import { expect, test } from 'vitest'
import { findingOf, findingWith } from './findings.ts'

test('a finding is in English, with its code and values', () => {
  const values = { freeBytes: 1.5 * 2 ** 30, totalBytes: 40 * 2 ** 30, reservedBytes: 2 ** 31 }
  expect(findingWith('failed', 'pool-full', values)).toEqual({
    state: 'failed',
    detail: '1.5 GiB of 40.0 GiB free, 2.0 GiB of that reserved',
    cure: 'Delete threads you no longer need, or raise THREADBOX_POOL_SIZE.',
    code: 'pool-full',
    values,
  })
  expect(findingWith('ok', 'sandbox-fine', { durationMs: 1234 }).detail).toBe('a sandbox was ready after 1234 ms')
})

test('a value may look like a place', () => {
  expect(findingWith('failed', 'check-failed', { message: '{message} $& {other}' }).detail).toBe('{message} $& {other}')
})

test('an error of ours keeps its own code, another one its own words', () => {
  const own = defineError<{ path: string }>({
    code: 'test.own',
    kind: 'conflict',
    message: ({ path }) => `${path} is missing.`,
    remedy: () => 'Install it.',
  })
  expect(findingOf(own({ path: '/runsc' }))).toEqual({
    state: 'failed',
    detail: '/runsc is missing.',
    cure: 'Install it.',
    code: 'test.own',
    values: { path: '/runsc' },
  })
  const message = 'spawn nft ENOENT'
  const other = findingOf(new Error(message))
  expect(other).toMatchObject({ state: 'failed', detail: message, code: 'check-failed', values: { message } })
  expect(other.cure).toContain('threadbox logs')
})
