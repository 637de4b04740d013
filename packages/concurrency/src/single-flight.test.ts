import { expect, test } from 'vitest'
import { makeSingleFlight } from './single-flight.ts'

test('callers of one key share running work, and the next caller after its end starts new work', async () => {
  const flights = makeSingleFlight<number>()
  const gate = Promise.withResolvers<void>()
  let begun = 0
  const begin = async () => {
    begun += 1
    const mine = begun
    await gate.promise
    return mine
  }
  const [first, second, other] = [flights.join('a', begin), flights.join('a', begin), flights.join('b', begin)]
  expect(begun).toBe(2)
  expect(flights.present('a')).toBe(first)
  gate.resolve()
  expect(await Promise.all([first, second, other])).toEqual([1, 1, 2])
  expect(flights.present('a')).toBeUndefined()
  expect(await flights.join('a', begin)).toBe(3)
})

test('a failure reaches every caller that joined, and frees the key', async () => {
  const flights = makeSingleFlight<string>()
  const begin = () => Promise.reject<string>(new Error('no'))
  const results = await Promise.allSettled([flights.join('a', begin), flights.join('a', begin)])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await flights.join('a', async () => 'yes')).toBe('yes')
})

test('`settled` waits for all keys and does not reject', async () => {
  const flights = makeSingleFlight()
  const gate = Promise.withResolvers<void>()
  const steps: string[] = []
  const failing = flights.join('a', () => Promise.reject(new Error('no')))
  const held = flights.join('b', async () => {
    await gate.promise
    steps.push('b')
  })
  const settled = flights.settled().then(() => steps.push('settled'))
  await expect(failing).rejects.toThrow('no')
  gate.resolve()
  await Promise.all([held, settled])
  expect(steps).toEqual(['b', 'settled'])
})
