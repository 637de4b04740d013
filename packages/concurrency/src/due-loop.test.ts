import { expect, test } from 'vitest'
import { type DueLoopOptions, makeDueLoop } from './due-loop.ts'

/** Longer than any test can take: only a nudge or a stop ends such a sleep. */
const forever = 2 ** 30

/** A loop whose passes can be awaited one by one. */
function watchedLoop(options: Partial<DueLoopOptions> = {}) {
  let passes = 0
  let waiting: { count: number; reached: () => void }[] = []
  const failures: unknown[] = []
  const loop = makeDueLoop({
    now: () => 0,
    minMs: 0,
    maxMs: forever,
    retryMs: forever,
    failed: (error) => failures.push(error),
    ...options,
    check: async () => {
      passes += 1
      for (const { count, reached } of waiting) if (passes >= count) reached()
      waiting = waiting.filter(({ count }) => passes < count)
      return await options.check?.()
    },
  })
  const passed = (count: number) =>
    new Promise<void>((reached) => {
      if (passes >= count) reached()
      else waiting.push({ count, reached })
    })
  return { loop, passed, failures, passes: () => passes }
}

test('the loop sleeps until the time of what is due next', async () => {
  const { loop, passed } = watchedLoop({ check: async () => 1 })
  loop.start()
  await passed(3)
  await loop.stop()
})

test('a nudge ends the sleep, and one during a pass makes another pass follow', async () => {
  const { loop, passed, passes } = watchedLoop({
    check: async () => {
      if (passes() === 2) loop.nudge()
      return undefined
    },
  })
  loop.start()
  await passed(1)
  await new Promise((resolve) => setImmediate(resolve))
  loop.nudge()
  await passed(3)
  await loop.stop()
  expect(passes()).toBe(3)
})

test('with a shortest sleep a nudge during a pass is not lost', async () => {
  const { loop, passed, passes } = watchedLoop({
    minMs: 1,
    check: async () => {
      if (passes() === 1) loop.nudge()
      return undefined
    },
  })
  loop.start()
  await passed(2)
  await loop.stop()
})

test('a failed pass is reported and repeated after the retry time', async () => {
  const { loop, passed, failures, passes } = watchedLoop({
    retryMs: 1,
    check: async () => {
      if (passes() === 1) throw new Error('no')
      return undefined
    },
  })
  loop.start()
  await passed(2)
  await loop.stop()
  expect(failures.map(String)).toEqual(['Error: no'])
})

test('passes never overlap, and `pass` rejects with the failure of its own', async () => {
  let running = 0
  let most = 0
  const { loop, passed, failures } = watchedLoop({
    check: async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      throw new Error('no')
    },
  })
  loop.start()
  const results = await Promise.allSettled([loop.pass(), loop.pass()])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await passed(3)
  await loop.stop()
  expect([most, failures.length]).toEqual([1, 1])
})

test('a stop waits for the pass that runs and begins none after it', async () => {
  const gate = Promise.withResolvers<void>()
  const steps: string[] = []
  const { loop, passed, passes } = watchedLoop({
    check: async () => {
      await gate.promise
      steps.push('passed')
      return 0
    },
  })
  loop.start()
  await passed(1)
  const stopped = loop.stop().then(() => steps.push('stopped'))
  loop.nudge()
  gate.resolve()
  await stopped
  expect([steps, passes()]).toEqual([['passed', 'stopped'], 1])
})
