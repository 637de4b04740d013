import { expect, test } from 'vitest'
import { makeSerial } from './serial.ts'

test('work runs one at a time, in the order of the calls, and starts only after the call has returned', async () => {
  const serial = makeSerial()
  const steps: string[] = []
  const works = ['a', 'b', 'c'].map((name) =>
    serial(async () => {
      steps.push(`${name} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      steps.push(`${name} ends`)
      return name
    }),
  )
  expect(steps).toEqual([])
  expect(await Promise.all(works)).toEqual(['a', 'b', 'c'])
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('a failure reaches its own caller, and the next work runs', async () => {
  const serial = makeSerial()
  const failed = serial(() => {
    throw new Error('no')
  })
  const next = serial(() => 'yes')
  await expect(failed).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('`settled` resolves when all work given before has ended, however it ended', async () => {
  const serial = makeSerial()
  const gate = Promise.withResolvers<void>()
  const steps: string[] = []
  const work = serial(async () => {
    await gate.promise
    steps.push('work')
    throw new Error('no')
  })
  const settled = serial.settled().then(() => steps.push('settled'))
  gate.resolve()
  await expect(work).rejects.toThrow('no')
  await settled
  expect(steps).toEqual(['work', 'settled'])
})
