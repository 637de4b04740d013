import { expect, test } from 'vitest'
import { makeBackground } from './background.ts'

test('a failure goes to one function with its label, and rejects neither the kept work nor `settled`', async () => {
  const failures: [string, string][] = []
  const background = makeBackground<string>((error, label) => failures.push([label, String(error)]))
  const kept = background.keep(Promise.reject(new Error('no')), 'first')
  void background.keep(Promise.resolve(), 'second')
  await background.settled()
  await kept
  expect(failures).toEqual([['first', 'Error: no']])
})

test('`settled` also waits for work that was added while waiting', async () => {
  const background = makeBackground<string>(() => {})
  const gate = Promise.withResolvers<void>()
  const steps: string[] = []
  void background.keep(
    gate.promise.then(() => {
      void background.keep(
        new Promise<void>((resolve) => setImmediate(resolve)).then(() => steps.push('added')),
        'added',
      )
    }),
    'first',
  )
  const settled = background.settled().then(() => steps.push('settled'))
  gate.resolve()
  await settled
  expect(steps).toEqual(['added', 'settled'])
})
