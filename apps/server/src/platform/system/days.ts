const formats = new Map<string, Intl.DateTimeFormat>()

/** The day (`2026-11-30`) of a time in a time zone. */
export function dayOf(at: number, timeZone: string): string {
  const known = formats.get(timeZone)
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  // Swedish dates are ISO dates.
  const format = known ?? new Intl.DateTimeFormat('sv-SE', { timeZone, ...parts })
  formats.set(timeZone, format)
  return format.format(at)
}

const quarterMs = 15 * 60_000
/** More than the largest offset of a time zone. */
const offsetMs = 16 * 3_600_000

/** The first quarter of an hour of a day in a time zone. A day that doesn’t exist there starts with the next one. */
export function startOfDay(day: string, timeZone: string): number {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  for (let at = midnight - offsetMs; at < midnight + offsetMs; at += quarterMs) {
    if (dayOf(at, timeZone) >= day) return at
  }
  return midnight + offsetMs
}

/** The day `count` days later. */
export function dayAfter(day: string, count = 1): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + count * 86_400_000).toISOString().slice(0, 10)
}

/** Days from one to the other, both included. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000 + 1
}

/** The month of a time in a time zone: its first moment, and the first moment of the next one. */
export function monthOf(at: number, timeZone: string): { from: number; to: number } {
  const first = `${dayOf(at, timeZone).slice(0, 7)}-01`
  const next = `${dayAfter(first, 31).slice(0, 7)}-01`
  return { from: startOfDay(first, timeZone), to: startOfDay(next, timeZone) }
}
