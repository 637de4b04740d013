import { expect, test } from 'vitest'
import { keepRunning } from './keep-running.ts'

test('what ends is run again, after a pause that doubles, until it is stopped', async () => {
  const stopping = new AbortController()
  const pauses: number[] = []
  let runs = 0
  await keepRunning({
    run: async () => {
      runs += 1
      if (runs === 4) stopping.abort()
      return runs
    },
    ended: (how, { retryMs }) => void pauses.push(how, retryMs),
    signal: stopping.signal,
  })
  expect([runs, pauses]).toEqual([4, [1, 50, 2, 100, 3, 200]])
})

test('a stop ends the pause', async () => {
  const stopping = new AbortController()
  const kept = keepRunning({ run: async () => 'ended', ended: () => stopping.abort(), signal: stopping.signal })
  await expect(kept).resolves.toBeUndefined()
})
