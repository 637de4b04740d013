import { describe, expect, it } from 'vitest'
import { daysOf, recentMonths } from './months.ts'

describe('months of a usage report', () => {
  it('start with this month and cross the turn of the year', () => {
    expect(recentMonths(new Date(2027, 1, 28)).slice(0, 4)).toEqual(['2027-02', '2027-01', '2026-12', '2026-11'])
  })

  it('end on their last day, in leap years too', () => {
    expect(daysOf('2026-11')).toEqual({ from: '2026-11-01', to: '2026-11-30' })
    expect(daysOf('2028-02')).toEqual({ from: '2028-02-01', to: '2028-02-29' })
  })
})
