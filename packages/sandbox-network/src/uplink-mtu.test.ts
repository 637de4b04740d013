import { expect, test } from 'vitest'
import { makeUplinkMtu } from './uplink-mtu.ts'

test('the MTU is read once, and again after a change', async () => {
  const values = [1500, 1400]
  const mtu = makeUplinkMtu(async () => values.shift() ?? 0)
  expect(await Promise.all([mtu.read(), mtu.read()])).toEqual([1500, 1500])
  mtu.forget()
  expect(await mtu.read()).toBe(1400)
  expect(await mtu.read()).toBe(1400)
})

test('a change while it is read is not lost', async () => {
  const first = Promise.withResolvers<number>()
  const answers = [first.promise, Promise.resolve(1400)]
  const mtu = makeUplinkMtu(async () => (await answers.shift()) ?? 0)
  const reading = mtu.read()
  mtu.forget()
  first.resolve(1500)
  expect(await reading).toBe(1500)
  expect(await mtu.read()).toBe(1400)
})

test('a failed read is repeated', async () => {
  const answers = [Promise.reject(new Error('no route')), Promise.resolve(1400)]
  const mtu = makeUplinkMtu(async () => (await answers.shift()) ?? 0)
  await expect(mtu.read()).rejects.toThrow('no route')
  expect(await mtu.read()).toBe(1400)
})
