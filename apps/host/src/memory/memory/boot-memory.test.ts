import { expect, test } from 'vitest'
import { makeBootMemory } from './boot-memory.ts'

const MiB = 1024 * 1024

type Boot = { mebibytes: number | null; state?: 'ready' | 'paused'; startedAt?: number }

/** What a start needs where these boots exist; a later change of the list is seen by the same reader. */
function neededWhere(list: Boot[]) {
  const time = { now: 0 }
  const reader = makeBootMemory({
    boots: {
      listCurrent: async () =>
        list.map(({ state = 'ready', startedAt = 0 }, index) => ({ driverBootId: `b${index}`, state, startedAt })),
    },
    driver: {
      inspect: async (bootId) => {
        const { mebibytes } = list[Number(bootId.slice(1))] ?? { mebibytes: null }
        if (mebibytes === null) return undefined
        return { bootId, sandboxId: 's', state: 'running', pid: 1, memoryBytes: mebibytes * MiB }
      },
    },
    clock: () => time.now,
  })
  return { time, needed: async () => (await reader.neededBytes()) / MiB }
}

test('G7: a start needs what the median awake sandbox holds, however large a few are', async () => {
  const { needed } = neededWhere([120, 130, 150, 160, 8000].map((mebibytes) => ({ mebibytes })))
  expect(await needed()).toBe(150)
})

test('G7: fewer than three awake sandboxes say nothing, nor do paused ones and those that have just ended', async () => {
  const asleep: Boot = { mebibytes: 700, state: 'paused' }
  const { needed } = neededWhere([{ mebibytes: 60 }, { mebibytes: 60 }, asleep, asleep, { mebibytes: null }])
  expect(await needed()).toBe(256)
})

test('G7: a start needs room for a guest and a kernel, also where all others are small', async () => {
  const { needed } = neededWhere([{ mebibytes: 58 }, { mebibytes: 58 }, { mebibytes: 58 }])
  expect(await needed()).toBe(96)
})

test('only the newest sandboxes count, and they are measured again after half a minute', async () => {
  const old = Array.from({ length: 40 }, (): Boot => ({ mebibytes: 900, startedAt: 1 }))
  const list = [...old, ...Array.from({ length: 20 }, (): Boot => ({ mebibytes: 100, startedAt: 2 }))]
  const { time, needed } = neededWhere(list)
  expect(await needed()).toBe(100)
  list.push(...Array.from({ length: 20 }, (): Boot => ({ mebibytes: 300, startedAt: 3 })))
  time.now = 29_999
  expect(await needed()).toBe(100)
  time.now = 30_000
  expect(await needed()).toBe(300)
})
