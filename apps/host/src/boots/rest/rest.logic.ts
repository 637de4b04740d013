/** The processor time that programs of a sandbox’s user had taken at a time when nothing of theirs ran. */
export type RestReading = { at: number; userCpuSeconds: number }

/** Share of a processor that waiting shells and kernels take at most, with what one reading itself takes. */
const idleShare = 0.02
const readingSeconds = 0.1

/** Tells whether programs have worked between two readings, such as a thread that sleeps most of the time. */
export function hasWorked(before: RestReading | undefined, now: RestReading): boolean {
  if (before === undefined) return false
  const seconds = (now.at - before.at) / 1000
  return now.userCpuSeconds - before.userCpuSeconds > seconds * idleShare + readingSeconds
}
