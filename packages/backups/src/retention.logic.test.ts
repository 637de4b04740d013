import { expect, test } from 'vitest'
import { backupName } from './manifest.ts'
import { defaultRetention, keptBackups } from './retention.logic.ts'

const day = 86_400_000
const start = Date.parse('2026-01-01T03:00:00Z')
const nameAt = (time: number) => backupName(time, '0123abcd')

test('of a backup each day for a year, 7 daily, 4 weekly and 6 monthly ones stay', () => {
  const names = Array.from({ length: 365 }, (_, number) => nameAt(start + number * day))
  const kept = [...keptBackups(names, defaultRetention)].map((name) => name.slice(0, 8)).toSorted()
  expect(kept).toEqual([
    ...['20260731', '20260831', '20260930', '20261031', '20261130'],
    ...['20261213', '20261220', '20261225', '20261226', '20261227', '20261228', '20261229', '20261230', '20261231'],
  ])
})

test('the newest one always stays, and a pause without backups removes none of the last ones', () => {
  const names = [nameAt(start), nameAt(start + day), nameAt(start + 200 * day)]
  expect(keptBackups(names, defaultRetention).size).toBe(3)
  expect([...keptBackups(names, { daily: 0, weekly: 0, monthly: 0 })]).toEqual([nameAt(start + 200 * day)])
  expect(keptBackups([], defaultRetention).size).toBe(0)
})
