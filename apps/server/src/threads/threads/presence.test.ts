import type { UserEvent } from '@threadbox/protocol/public'
import { expect, test } from 'vitest'
import { makePresence, presentMs, typingMs } from './presence.ts'

function bench() {
  const clock = { now: 1_800_000_000_000 }
  const told: [string, UserEvent][] = []
  const presence = makePresence({
    readersOf: async () => ['ann', 'ben', 'eve'],
    userHub: { publish: (userId, event) => told.push([userId, event]) },
    now: () => clock.now,
  })
  const report = (userId: string, isTyping = false, hasOpen = true) =>
    presence.report('t', { userId, isTyping, isHere: hasOpen })
  return { clock, told, report }
}

test('C12: a person who opens a thread sees who else has it open, and the others see that person', async () => {
  const { told, report } = bench()
  expect(await report('ann')).toEqual([])
  expect(told.map(([userId]) => userId)).toEqual(['ben', 'eve'])
  expect(await report('ben', true)).toEqual([{ userId: 'ann', isTyping: false }])
  expect(told.at(-1)).toEqual([
    'eve',
    {
      type: 'presence-updated',
      threadId: 't',
      people: [
        { userId: 'ann', isTyping: false },
        { userId: 'ben', isTyping: true },
      ],
    },
  ])
})

test('C12: the others get nothing while nothing changes', async () => {
  const { clock, told, report } = bench()
  await report('ann')
  const count = told.length
  clock.now += 10_000
  await report('ann')
  expect(told).toHaveLength(count)
})

test('C12: typing ends after seconds, and presence within 30 s, also if the clock is set back', async () => {
  const { clock, report } = bench()
  await report('ann', true)
  expect(await report('ben')).toEqual([{ userId: 'ann', isTyping: true }])
  clock.now += typingMs
  expect(await report('ben')).toEqual([{ userId: 'ann', isTyping: false }])
  clock.now += presentMs
  expect(await report('ben')).toEqual([])
  await report('ann')
  clock.now -= presentMs
  expect(await report('ben')).toEqual([])
  expect(presentMs).toBeLessThan(30_000)
})

test('C12: a person who leaves is gone immediately', async () => {
  const { report } = bench()
  await report('ann')
  await report('ann', false, false)
  expect(await report('ben')).toEqual([])
})
