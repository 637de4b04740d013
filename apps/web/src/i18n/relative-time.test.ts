import { expect, it } from 'vitest'
import { relativeTime } from './relative-time.ts'

/** At noon where the test runs: the date is the person's own. */
const now = new Date(2030, 5, 15, 12).getTime()
const time = (msAgo: number, locale = 'en') => relativeTime(now - msAgo, { now, locale })

it('is relative within a day and a date after it', () => {
  expect(time(20_000)).toBe('now')
  expect(time(5 * 60_000)).toBe('5 minutes ago')
  expect(time(3 * 3_600_000, 'de')).toBe('vor 3 Stunden')
  expect(time(2 * 3_600_000, 'it')).toBe('2 ore fa')
  expect(time(20_000, 'it')).toBe('ora')
  expect([3 * 3_600_000, 3 * 86_400_000].map((ms) => time(ms, 'ja'))).toEqual(['3 時間前', '6月12日'])
  expect(time(3 * 86_400_000)).toBe('June 12')
  expect(time(3 * 86_400_000, 'it')).toBe('12 giugno')
  expect(time(400 * 86_400_000)).toMatch(/2029/)
})

it('counts seconds where they matter', () => {
  expect(relativeTime(now - 20_000, { now, locale: 'en', withSeconds: true })).toBe('20 seconds ago')
})

it('may lie ahead', () => {
  expect(time(-2 * 3_600_000)).toBe('in 2 hours')
})
