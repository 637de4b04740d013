import { expect, test } from 'vitest'
import { checkDriver } from './doctor.ts'

test('a driver without all programs that make its starts fast is a warning', async () => {
  const check = (isComplete: boolean) =>
    checkDriver({ describe: async () => ({ name: 'gvisor', version: '1', isComplete }) })
  expect(await check(true)).toMatchObject({ state: 'ok', code: 'driver-fine' })
  expect(await check(false)).toMatchObject({ state: 'warning', code: 'driver-without-helpers' })
})
