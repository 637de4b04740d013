const hourMs = 3_600_000
const longestHoldMs = 7 * 24 * hourMs

/** The offered durations; any other end is entered as date and time. */
export const holdHours = [1, 4, 24] as const

export function holdEnd(hours: number, now: number): number {
  return now + hours * hourMs
}

/** The problem with a chosen end; undefined if it is allowed. */
export function holdProblem(until: number, now: number): 'past' | 'far' | undefined {
  if (!Number.isFinite(until) || until <= now) return 'past'
  return until > now + longestHoldMs ? 'far' : undefined
}

/** A time as the value of a local date and time field. */
export function fieldOfMoment(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

export function momentOfField(text: string): number {
  return new Date(text).getTime()
}
