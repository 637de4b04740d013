import { expect, test } from 'vitest'
import { checkDriver, findCompression } from './doctor.ts'

test('a driver without all programs that make its starts fast is a warning', async () => {
  const check = (isComplete: boolean) =>
    checkDriver({ describe: async () => ({ name: 'gvisor', version: '1', isComplete }) })
  expect(await check(true)).toMatchObject({ state: 'ok', code: 'driver-fine' })
  expect(await check(false)).toMatchObject({ state: 'warning', code: 'driver-without-helpers' })
})

test('memory that isn’t compressed is a warning with its reason, unless that is wanted', () => {
  expect(findCompression({ state: 'off' })).toMatchObject({ state: 'ok', code: 'compression-off' })
  for (const problem of ['other-swap', 'full', 'unavailable'] as const) {
    const found = findCompression({ state: 'impossible', problem, detail: '/dev/vda2' })
    expect(found).toMatchObject({ state: 'warning', code: `compression-${problem}`, values: { detail: '/dev/vda2' } })
    expect(found.detail).toContain('/dev/vda2')
    expect(found.cure).not.toBe('')
  }
})

test('with cgroup version 1 the check says that memory of running sandboxes can be compressed too', () => {
  const found = { state: 'possible', heldBytes: 3 * 2 ** 30, storedBytes: 2 ** 30 } as const
  expect(findCompression({ ...found, maySwapRunning: false }).detail).toBe('3.0 GiB of memory take 1.0 GiB of RAM')
  expect(findCompression({ ...found, maySwapRunning: true }).detail).toContain('running sandboxes')
})
