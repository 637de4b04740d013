import { expect, test } from 'vitest'
import { checkSchedule, makeScheduleTimes } from './schedule-times.logic.ts'

const at = (text: string) => Date.parse(text)
const next = (cron: string, from: string, count: number, timeZone = 'Europe/Berlin') =>
  makeScheduleTimes({ cron, timeZone })
    .after(at(from), count)
    .map((time) => new Date(time).toISOString().slice(5, 16))

test('C11: a time in the hour that the clocks skip is due when that hour would have begun, and the next day as usual', () => {
  expect(next('30 2 * * *', '2027-03-27T12:00Z', 3)).toEqual(['03-28T01:00', '03-29T00:30', '03-30T00:30'])
})

test('C11: a time in the hour that comes twice is due once, the first time', () => {
  expect(next('30 2 * * *', '2027-10-30T12:00Z', 2)).toEqual(['10-31T00:30', '11-01T01:30'])
  expect(next('30 2 * * *', '2027-10-31T00:30Z', 1)).toEqual(['11-01T01:30'])
})

test('C11: intervals of minutes or hours continue through both clock changes without a gap', () => {
  expect(next('0 * * * *', '2027-03-27T23:30Z', 3)).toEqual(['03-28T00:00', '03-28T01:00', '03-28T02:00'])
  expect(next('0 * * * *', '2027-10-30T23:30Z', 3)).toEqual(['10-31T00:00', '10-31T01:00', '10-31T02:00'])
  expect(next('*/30 * * * *', '2027-10-31T00:20Z', 3)).toEqual(['10-31T00:30', '10-31T01:00', '10-31T01:30'])
})

test('C11: times are in the schedule’s time zone', () => {
  expect(next('0 9 * * *', '2027-01-01T00:00Z', 1, 'Asia/Kolkata')).toEqual(['01-01T03:30'])
  expect(next('0 9 * * *', '2027-07-01T00:00Z', 1, 'America/New_York')).toEqual(['07-01T13:00'])
  expect(next('0 9 * * *', '2027-01-01T00:00Z', 1, 'UTC')).toEqual(['01-01T09:00'])
})

test('C11: past times are listed latest first, up to 1000, including the current minute', () => {
  const times = makeScheduleTimes({ cron: '0 * * * *', timeZone: 'UTC' })
  const upTo = (end: string, from: string) => times.upTo(at(end), at(from)).map((time) => new Date(time).getUTCHours())
  expect(upTo('2027-01-01T05:00:00Z', '2027-01-01T03:00Z')).toEqual([5, 4, 3])
  expect(upTo('2027-01-01T05:59:59.999Z', '2027-01-01T05:00Z')).toEqual([5])
  expect(upTo('2027-01-01T04:59:59.999Z', '2027-01-01T05:00Z')).toEqual([])
  expect(times.upTo(at('2029-01-01T00:00Z'), at('2027-01-01T00:00Z'))).toHaveLength(1000)
})

test.each([
  ['* * * *', 'UTC', 'schedule.cron-invalid'],
  ['* * * * * *', 'UTC', 'schedule.cron-invalid'],
  ['61 * * * *', 'UTC', 'schedule.cron-invalid'],
  ['@daily', 'UTC', 'schedule.cron-invalid'],
  ['*/0 * * * *', 'UTC', 'schedule.cron-invalid'],
  ['not a plan at all', 'UTC', 'schedule.cron-invalid'],
  ['0 0 31 2 *', 'UTC', 'schedule.never-due'],
  ['0 0 * * *', 'Nowhere/City', 'schedule.time-zone-invalid'],
  ['0 0 * * *', '+02:00', 'schedule.time-zone-invalid'],
  ['0 0 * * *', '', 'schedule.time-zone-invalid'],
])('C11: %s in %s is refused with %s', (cron, timeZone, code) => {
  expect(() => checkSchedule({ cron, timeZone }, at('2027-01-01T00:00Z'))).toThrow(expect.objectContaining({ code }))
})
