import { describe, expect, test } from 'vitest'
import { type BackupElapsed, type BackupPast, backupAttention, backupDue } from './backup-due.logic.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const at = (text: string) => Date.parse(text)

const setUpAt = at('2026-11-01T12:00:00Z')
const past = (values: Partial<BackupPast> = {}): BackupPast => ({
  setUpAt,
  startedAt: at('2026-11-29T03:15:10Z'),
  succeededAt: at('2026-11-29T03:40:00Z'),
  state: 'ended',
  ...values,
})
const due = (
  now: string,
  options: { past?: Partial<BackupPast>; elapsed?: Partial<BackupElapsed>; daily?: string; timeZone?: string } = {},
) =>
  backupDue({
    plan: { daily: options.daily ?? '03:15', timeZone: options.timeZone ?? 'UTC' },
    past: past(options.past),
    elapsed: { sinceInterruptedMs: 0, sinceScheduledMs: null, ...options.elapsed },
    now: at(now),
  })
const isDue = (...parameters: Parameters<typeof due>) => due(...parameters).isDue

describe('a backup is due', () => {
  test('C12: at its time of the day, not before, and then once', () => {
    expect(due('2026-11-30T03:14:59Z')).toEqual({ isDue: false, nextAt: at('2026-11-30T03:15:00Z') })
    expect(due('2026-11-30T03:15:00Z')).toEqual({ isDue: true, nextAt: at('2026-12-01T03:15:00Z') })
    expect(isDue('2026-11-30T03:16:40Z')).toBe(true)
    const startedAt = at('2026-11-30T03:15:01Z')
    expect(isDue('2026-11-30T03:16:00Z', { past: { startedAt, state: 'running' } })).toBe(false)
    expect(isDue('2026-11-30T03:50:00Z', { past: { startedAt } })).toBe(false)
    expect(isDue('2026-11-30T23:00:00Z', { past: { startedAt } })).toBe(false)
  })

  test('C12: in the time zone of the installation, also when its clocks change', () => {
    const berlin = { timeZone: 'Europe/Berlin' }
    expect(isDue('2026-11-30T02:15:00Z', berlin)).toBe(true)
    expect(isDue('2026-11-30T03:15:00Z', { ...berlin, past: { startedAt: at('2026-11-30T02:15:00Z') } })).toBe(false)
    // 02:00 to 03:00 does not exist on this day.
    const spring = { startedAt: at('2027-03-27T01:30:00Z'), succeededAt: at('2027-03-27T01:40:00Z') }
    const half = { ...berlin, daily: '02:30', past: spring }
    const { isDue: isBefore, nextAt } = due('2027-03-28T00:59:00Z', half)
    expect([isBefore, new Date(nextAt ?? 0).toISOString()]).toEqual([false, '2027-03-28T01:00:00.000Z'])
    expect(isDue('2027-03-28T01:00:00Z', half)).toBe(true)
    // 02:30 comes twice on this day.
    const autumn = { startedAt: at('2026-10-25T00:30:00Z'), succeededAt: at('2026-10-25T00:40:00Z') }
    expect(isDue('2026-10-25T01:30:00Z', { ...berlin, daily: '02:30', past: autumn })).toBe(false)
  })

  test('C12: later, once, if the last one is older than a day, such as after the server was off', () => {
    expect(isDue('2026-11-30T09:00:00Z')).toBe(true)
    const startedAt = at('2026-11-30T09:00:00Z')
    expect(isDue('2026-11-30T09:01:00Z', { past: { startedAt } })).toBe(false)
    const byHand = { startedAt: at('2026-11-29T20:00:00Z'), succeededAt: at('2026-11-29T20:10:00Z') }
    expect(isDue('2026-11-30T09:00:00Z', { past: byHand })).toBe(false)
  })

  test('C12: the first time at its time of the day, or a day after the store was set up', () => {
    const none = { startedAt: null, succeededAt: null }
    expect(isDue('2026-11-30T12:05:00Z', { past: { ...none, setUpAt: at('2026-11-30T12:00:00Z') } })).toBe(false)
    expect(isDue('2026-12-01T03:15:00Z', { past: { ...none, setUpAt: at('2026-11-30T12:00:00Z') } })).toBe(true)
    expect(isDue('2026-12-01T13:00:00Z', { past: { ...none, setUpAt: at('2026-11-30T12:00:00Z') } })).toBe(true)
  })

  test('C12: never while the setting is empty, and never while one runs', () => {
    expect(due('2026-11-30T03:15:00Z', { daily: '' })).toEqual({ isDue: false, nextAt: null })
    expect(isDue('2026-11-30T03:15:00Z', { past: { state: 'running' } })).toBe(false)
  })

  test('C12: once more after an interruption, when the lease of the program has expired', () => {
    const startedAt = at('2026-11-30T03:15:01Z')
    const interrupted = { past: { startedAt, state: 'interrupted' as const } }
    expect(isDue('2026-11-30T05:00:00Z', { ...interrupted, elapsed: { sinceInterruptedMs: minute } })).toBe(false)
    expect(isDue('2026-11-30T05:20:00Z', { ...interrupted, elapsed: { sinceInterruptedMs: 20 * minute } })).toBe(true)
    expect(isDue('2026-11-30T05:20:00Z', { past: { startedAt, state: 'interrupted-again' } })).toBe(false)
    expect(isDue('2026-12-01T03:15:00Z', { past: { startedAt, state: 'interrupted-again' } })).toBe(true)
  })
})

describe('a clock that is set', () => {
  const startedAt = at('2026-11-30T03:15:01Z')
  const succeededAt = at('2026-11-30T03:20:00Z')

  test.each(['2026-11-30T03:14:00Z', '2026-11-30T03:15:30Z', '2026-11-29T03:15:00Z', '2026-11-29T12:00:00Z'])(
    'C12: back to %s starts no second one',
    (now) => expect(isDue(now, { past: { startedAt, succeededAt } })).toBe(false),
  )

  test('C12: forward by a day starts no second one until half a day has passed', () => {
    const jumped = { past: { startedAt, succeededAt } }
    expect(isDue('2026-12-01T03:15:00Z', { ...jumped, elapsed: { sinceScheduledMs: minute } })).toBe(false)
    expect(isDue('2026-12-01T09:15:00Z', { ...jumped, elapsed: { sinceScheduledMs: 6 * hour } })).toBe(false)
    expect(isDue('2026-12-01T18:15:00Z', { ...jumped, elapsed: { sinceScheduledMs: 15 * hour } })).toBe(true)
  })

  test('C12: back by years does not stop backups for years', () => {
    const ahead = { past: { startedAt: at('2036-01-01T00:00:00Z'), succeededAt: at('2036-01-01T00:01:00Z') } }
    expect(isDue('2026-11-30T09:00:00Z', { ...ahead, elapsed: { sinceScheduledMs: minute } })).toBe(false)
    expect(isDue('2026-11-30T21:01:00Z', { ...ahead, elapsed: { sinceScheduledMs: 12 * hour } })).toBe(true)
  })
})

describe('the owner’s attention is needed', () => {
  const now = setUpAt + 100 * day
  const attention = (succeededAt: number | null, hasFailed = false, setUp = setUpAt) =>
    backupAttention({ hasFailed, past: { setUpAt: setUp, succeededAt }, now })

  test('C12: when the last backup failed, whatever earlier ones did', () => {
    expect(attention(now - hour, true)).toBe('failed')
  })

  test('C12: when the last backup is older than two days, or none was made in two days', () => {
    expect(attention(now - 2 * day)).toBeNull()
    expect(attention(now - 2 * day - 1)).toBe('old')
    expect(attention(null)).toBe('old')
    expect(attention(null, false, now - day)).toBeNull()
  })
})
