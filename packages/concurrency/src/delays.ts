/** Returns the delay before each attempt, counted from 0; the last one repeats. */
export function delaysOf(delaysMs: readonly [number, ...number[]]): (attempt: number) => number {
  return (attempt) => delaysMs[Math.min(attempt, delaysMs.length - 1)] ?? delaysMs[0]
}
