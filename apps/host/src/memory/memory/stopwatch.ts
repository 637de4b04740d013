/** Durations of the parts of a piece of work, for one line of the log. */
export type Stopwatch = {
  time<Value>(name: `${string}Ms`, work: Promise<Value>): Promise<Value>
  /** Since it was made. */
  totalMs(): number
  parts(): Record<string, number>
}

export function makeStopwatch(): Stopwatch {
  const startedAt = performance.now()
  const parts: Record<string, number> = {}
  return {
    time: async (name, work) => {
      const from = performance.now()
      const value = await work
      parts[name] = Math.round(performance.now() - from)
      return value
    },
    totalMs: () => performance.now() - startedAt,
    parts: () => parts,
  }
}
