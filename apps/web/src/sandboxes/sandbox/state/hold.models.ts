const hourMs = 3_600_000
const longestHoldMs = 7 * 24 * hourMs

/** The lengths that are offered; any other end is chosen by date and time. */
export const holdHours = [1, 4, 24] as const

export function holdEnd(hours: number, now: number): number {
  return now + hours * hourMs
}

/** What is wrong with a chosen end; undefined when it may be asked for. */
export function holdProblem(until: number, now: number): 'past' | 'far' | undefined {
  if (!Number.isFinite(until) || until <= now) return 'past'
  return until > now + longestHoldMs ? 'far' : undefined
}

/** A moment as the value of a field for local date and time, and back. */
export function fieldOfMoment(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

export function momentOfField(text: string): number {
  return new Date(text).getTime()
}
