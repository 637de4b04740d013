import { beforeEach, expect, test } from 'vitest'
import { type Calm, makeCalm } from './calm.ts'

let nowMs = 0
let pids: number[] = []
let obstacle: string | null = null
let asked = 0
let ends = 0
let calm: Calm
/** Called while the sandbox is asked what runs in it. */
let meanwhile = () => {}

beforeEach(() => {
  nowMs = 1_000
  pids = [1, 2]
  obstacle = null
  asked = 0
  ends = 0
  meanwhile = () => {}
  calm = makeCalm({
    restObstacle: async () => {
      asked += 1
      meanwhile()
      return obstacle
    },
    pids: () => pids,
    now: () => nowMs,
  })
  calm.onEnd(() => {
    ends += 1
  })
})

async function checkAfter(ms: number): Promise<boolean> {
  nowMs += ms
  await calm.update()
  return calm.isCalm()
}

test('a sandbox is not calm before nothing was requested for two seconds', async () => {
  expect(await checkAfter(1_900)).toBe(false)
  calm.disturb()
  expect(await checkAfter(1_900)).toBe(false)
  expect(asked).toBe(0)
  expect(await checkAfter(200)).toBe(true)
})

test('a sandbox in which something of the user’s runs is not calm, and is asked again only after half a minute', async () => {
  obstacle = 'process sleep'
  expect(await checkAfter(5_000)).toBe(false)
  obstacle = null
  expect(await checkAfter(20_000)).toBe(false)
  expect(asked).toBe(1)
  expect(await checkAfter(10_000)).toBe(true)
})

test('a request ends calm before it is handled, and the checks follow immediately', async () => {
  await checkAfter(5_000)
  calm.disturb()
  expect(calm.isCalm()).toBe(false)
  expect(ends).toBe(1)
  calm.disturb()
  expect(ends).toBe(1)
})

test('a process that appears without a request ends calm', async () => {
  await checkAfter(5_000)
  expect(await checkAfter(5_000)).toBe(true)
  pids = [1, 2, 3]
  expect(await checkAfter(5_000)).toBe(false)
  expect(ends).toBe(1)
})

test('a request while it is being found out what runs keeps calm from beginning', async () => {
  meanwhile = () => calm.disturb()
  expect(await checkAfter(5_000)).toBe(false)
})

test('a sandbox that can’t be asked is not calm, and the reason is passed on', async () => {
  meanwhile = () => {
    throw new Error('no response')
  }
  await expect(checkAfter(5_000)).rejects.toThrow('no response')
  expect(calm.isCalm()).toBe(false)
})
