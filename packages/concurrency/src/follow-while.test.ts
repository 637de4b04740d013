import { expect, test } from 'vitest'
import { followWhile } from './follow-while.ts'

async function* streamOf(events: readonly string[], failure?: Error) {
  yield* events
  if (failure !== undefined) throw failure
}

test('a stream that breaks, ends or does not exist is followed again until the signal is aborted', async () => {
  const stopped = new AbortController()
  const streams = [
    () => streamOf(['a'], new Error('broken')),
    () => streamOf(['b']),
    () => undefined,
    () => streamOf(['c', 'stop']),
  ]
  const seen: string[] = []
  await followWhile({
    signal: stopped.signal,
    connect: async () => streams.shift()?.(),
    onEvent: (event) => {
      if (event === 'stop') stopped.abort()
      else seen.push(event)
    },
    pauseMs: 1,
    onBroken: (error) => seen.push(String(error)),
  })
  expect([seen, streams.length]).toEqual([['a', 'Error: broken', 'b', 'c'], 0])
})

test('events are handled one after another', async () => {
  const seen: string[] = []
  await followWhile({
    signal: new AbortController().signal,
    connect: async () => streamOf(['a', 'b']),
    onEvent: async (event) => {
      seen.push(`${event} begins`)
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(`${event} ends`)
    },
    pauseMs: 1,
    isFinal: () => true,
  })
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
})

test('a final end, with or without an error, is the last one and is not reported as broken', async () => {
  const broken: unknown[] = []
  const follow = (failure?: Error) =>
    followWhile({
      signal: new AbortController().signal,
      connect: async () => streamOf([], failure),
      onEvent: () => {},
      pauseMs: 1,
      isFinal: (error) => error === failure,
      onBroken: (error) => broken.push(error),
    })
  await follow(new Error('unsupported'))
  await follow()
  expect(broken).toEqual([])
})

test('a stream that sends more than it may is left, and followed again after the pause', async () => {
  async function* many() {
    for (let left = 10_000_000; left >= 0; left -= 1) yield left > 0
  }
  const stopped = new AbortController()
  const broken: string[] = []
  const seen: boolean[] = []
  await followWhile({
    signal: stopped.signal,
    connect: async () => many(),
    onEvent: (event) => seen.push(event),
    pauseMs: 1,
    maxPerSecond: 10,
    onBroken: (error) => {
      broken.push(String(error))
      if (broken.length === 3) stopped.abort()
    },
  })
  expect(broken).toEqual(Array.from({ length: 3 }, () => 'Error: the stream sends too much'))
  expect(seen).toEqual(Array.from({ length: 30 }, () => true))
})

test('the pause grows while attempts bring nothing, and begins again after an event', async () => {
  const stopped = new AbortController()
  const streams = [undefined, undefined, undefined, ['a'], undefined, ['stop']]
  const attempts: number[] = []
  await followWhile({
    signal: stopped.signal,
    connect: async () => {
      const events = streams.shift()
      return events === undefined ? undefined : streamOf(events)
    },
    onEvent: (event) => {
      if (event === 'stop') stopped.abort()
    },
    pauseMs: (attempt) => {
      attempts.push(attempt)
      return 1
    },
  })
  expect(attempts).toEqual([0, 1, 2, 0, 1, 0])
})
