import { describe, expect, it } from 'vitest'
import { dayAfter, dayOf, daysBetween, monthOf, startOfDay } from './days.ts'

const hour = 3_600_000
const startIn = (day: string, timeZone: string) => new Date(startOfDay(day, timeZone)).toISOString()

describe('days of a report', () => {
  it('start at midnight of the time zone, whatever its offset', () => {
    expect(startIn('2026-11-30', 'UTC')).toBe('2026-11-30T00:00:00.000Z')
    expect(startIn('2026-11-30', 'Asia/Kathmandu')).toBe('2026-11-29T18:15:00.000Z')
    expect(startIn('2026-11-30', 'Pacific/Kiritimati')).toBe('2026-11-29T10:00:00.000Z')
    expect(startIn('2026-11-30', 'Pacific/Pago_Pago')).toBe('2026-11-30T11:00:00.000Z')
  })

  it('have 23 or 25 hours when the clock is changed, and no moment is in two days or in none', () => {
    const lengthOf = (day: string) =>
      (startOfDay(dayAfter(day), 'Europe/Berlin') - startOfDay(day, 'Europe/Berlin')) / hour
    expect(['2026-03-28', '2026-03-29', '2026-10-25'].map(lengthOf)).toEqual([24, 23, 25])
    const start = startOfDay('2026-10-25', 'Europe/Berlin')
    expect([start - 1, start].map((at) => dayOf(at, 'Europe/Berlin'))).toEqual(['2026-10-24', '2026-10-25'])
  })

  it('a day that a time zone skipped starts with the next one', () => {
    expect(startIn('2011-12-30', 'Pacific/Apia')).toBe(startIn('2011-12-31', 'Pacific/Apia'))
  })

  it('are counted with both ends', () => {
    expect(daysBetween('2026-02-28', '2026-03-01')).toBe(2)
    expect(daysBetween('2026-11-30', '2026-11-29')).toBe(0)
  })

  it('form months that meet, in every time zone', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'America/St_Johns']) {
      const february = monthOf(Date.parse('2028-02-15T12:00:00Z'), zone)
      expect((february.to - february.from) / hour).toBe(29 * 24)
      expect(monthOf(february.to, zone).from).toBe(february.to)
      expect(monthOf(february.to - 1, zone)).toEqual(february)
    }
  })
})
