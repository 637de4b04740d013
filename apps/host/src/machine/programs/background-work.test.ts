import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeBackgroundWork } from './background-work.ts'

const idle = async () => true

test('while a person waits, no other work begins, until it is overdue', async () => {
  const background = makeBackgroundWork(idle)
  const waiting = Promise.withResolvers<string>()
  const held = background.holdOffDuring(() => waiting.promise)
  expect(await background.isFree()).toBe(false)
  const began = { soon: false }
  const soon = background.moment(600_000).then(() => {
    began.soon = true
  })
  await background.moment(0)
  expect(began.soon).toBe(false)
  waiting.resolve('done')
  expect(await held).toBe('done')
  // What the person does next comes first too.
  expect(await background.isFree()).toBe(false)
  await soon
  expect(await background.isFree()).toBe(true)
})

test('with an endless stream of starts, work begins once it is overdue, and is done in its order', async () => {
  const background = makeBackgroundWork(idle)
  const stream = new AbortController()
  const startSandboxes = async () => {
    while (!stream.signal.aborted) await background.holdOffDuring(() => setImmediate())
  }
  const starts = [startSandboxes(), startSandboxes()]
  const done: string[] = []
  const work = ['spare', 'kernel', 'allocations'].map(async (name, index) => {
    await background.moment(50 * (index + 1))
    await background.inTurn(async () => void done.push(name))
  })
  await Promise.all(work)
  expect(await background.isFree()).toBe(false)
  stream.abort()
  await Promise.all(starts)
  expect(done).toEqual(['spare', 'kernel', 'allocations'])
})

test('work that fails holds nothing off, neither what a person waits for nor what can wait', async () => {
  const background = makeBackgroundWork(idle)
  await expect(background.holdOffDuring(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await background.moment(600_000)
  await expect(background.inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await background.isFree()).toBe(true)
})

test('work that can wait runs one after another, and none can begin at the same time or on a busy machine', async () => {
  let isIdle = true
  const background = makeBackgroundWork(async () => isIdle)
  const first = Promise.withResolvers<void>()
  const order: string[] = []
  const both = [
    background.inTurn(async () => {
      await first.promise
      order.push('first')
    }),
    background.inTurn(async () => void order.push('second')),
  ]
  expect(await background.isFree()).toBe(false)
  first.resolve()
  await Promise.all(both)
  expect(order).toEqual(['first', 'second'])
  expect(await background.isFree()).toBe(true)
  isIdle = false
  expect(await background.isFree()).toBe(false)
})

test('when it is closed, nothing waits', async () => {
  const background = makeBackgroundWork(idle)
  void background.holdOffDuring(() => new Promise(() => undefined))
  const moment = background.moment(600_000)
  background.close()
  await moment
})
