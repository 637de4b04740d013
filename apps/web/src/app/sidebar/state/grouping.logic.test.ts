import type { Thread } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { groupThreads } from './grouping.logic.ts'

const now = new Date(2026, 5, 17, 0, 5).getTime()
const hour = 3_600_000
const thread = (id: string, agoMs: number, values: Partial<Thread> = {}) =>
  ({ id, title: id, updatedAt: now - agoMs, isPinned: false, deletedAt: null, ...values }) as Thread
const groups = (threads: Thread[]) =>
  Object.fromEntries(groupThreads(threads, now).map((group) => [group.name, group.threads.map(({ id }) => id)]))

describe('the sidebar', () => {
  test('without threads has no groups', () => {
    expect(groupThreads([], now)).toEqual([])
  })

  test('deleted threads are not shown', () => {
    expect(groups([thread('a', 0, { deletedAt: 1 })])).toEqual({})
  })

  test('days are calendar days: ten minutes ago can be yesterday', () => {
    expect(groups([thread('a', 60_000), thread('b', 600_000)])).toEqual({ today: ['a'], yesterday: ['b'] })
  })

  test('pinned ones come first whatever their age', () => {
    expect(groups([thread('a', 0), thread('b', 900 * 24 * hour, { isPinned: true })])).toEqual({
      pinned: ['b'],
      today: ['a'],
    })
  })

  test('older ones are grouped by week, month and the rest, the latest first', () => {
    const day = 24 * hour
    expect(groups([thread('d', 40 * day), thread('c', 12 * day), thread('b', 5 * day), thread('a', 3 * day)])).toEqual({
      week: ['a', 'b'],
      month: ['c'],
      older: ['d'],
    })
  })

  test('300 threads are grouped in a few milliseconds', () => {
    const many = Array.from({ length: 300 }, (_, index) => thread(`t${index}`, index * hour))
    const startedAt = performance.now()
    groupThreads(many, now)
    expect(performance.now() - startedAt).toBeLessThan(100)
  })
})
