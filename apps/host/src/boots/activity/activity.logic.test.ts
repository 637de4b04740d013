import type { GuestActivity } from '@threadbox/protocol/guest'
import { expect, test } from 'vitest'
import { judgeActivity } from './activity.logic.ts'

const quiet: GuestActivity = {
  runningKeys: ['a sleeping daemon'],
  terminalsLastInputAt: null,
  userCpuSeconds: 100,
  busiestProcess: null,
  listeningPorts: [8000],
}
const before = { at: 0, activity: quiet }
const judge = (change: Partial<GuestActivity>, more: { cpuShare?: number; at?: number } = {}) =>
  judgeActivity({
    before,
    now: { at: more.at ?? 10_000, activity: { ...quiet, ...change } },
    cpuShare: more.cpuShare ?? 0.05,
  })

test('O11: processes that sleep, listen or only exist are not active', () => {
  expect(judge({})).toEqual([])
  expect(judge({ runningKeys: ['another'], listeningPorts: [1, 2, 3], busiestProcess: 'node' })).toEqual([])
})

test('O11: processor time above the share is activity, with the name of the busiest process, and below it is not', () => {
  expect(judge({ userCpuSeconds: 100.49, busiestProcess: 'node' })).toEqual([])
  expect(judge({ userCpuSeconds: 100.51, busiestProcess: 'make' })).toEqual([{ reason: 'cpu', detail: 'make' }])
  expect(judge({ userCpuSeconds: 100.51 })).toEqual([{ reason: 'cpu' }])
  expect(judge({ userCpuSeconds: 101 }, { cpuShare: 0.5 })).toEqual([])
})

test('O11: typing counts once, also when the clocks of host and guest differ', () => {
  expect(judge({ terminalsLastInputAt: 5 })).toEqual([{ reason: 'terminal' }])
  const typed = { at: 0, activity: { ...quiet, terminalsLastInputAt: 5 } }
  expect(judgeActivity({ before: typed, now: { ...typed, at: 10_000 }, cpuShare: 0.05 })).toEqual([])
})

test('the first reading is only a baseline, and a clock that stands still or goes back is no activity', () => {
  const now = { at: 0, activity: { ...quiet, userCpuSeconds: 10_000, terminalsLastInputAt: 1 } }
  expect(judgeActivity({ before: undefined, now, cpuShare: 0.05 })).toEqual([])
  expect(judge({ userCpuSeconds: 200 }, { at: 0 })).toEqual([])
  expect(judge({ userCpuSeconds: 200 }, { at: -1000 })).toEqual([])
})
