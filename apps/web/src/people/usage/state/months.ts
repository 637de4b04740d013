/** How many months back reports can be selected. */
const monthsBack = 12

/** This month and those before it (`2026-11`), newest first. */
export function recentMonths(now: Date): string[] {
  return Array.from({ length: monthsBack }, (_, back) => {
    const month = new Date(Date.UTC(now.getFullYear(), now.getMonth() - back, 1))
    return month.toISOString().slice(0, 7)
  })
}

/** The first and the last day of a month. */
export function daysOf(month: string): { from: string; to: string } {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return { from: `${month}-01`, to: new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10) }
}
