/**
 * Which of the newest sandboxes ran Python soon after they were created: what was done last is the best guess at what is
 * done next. In memory only: a daemon that has just started keeps spares without kernels until Python is used.
 */
export type PythonUse = {
  /** A sandbox was created. */
  began(sandboxId: string): void
  /** Python ran in a sandbox. */
  used(sandboxId: string): void
  /** True if Python ran in at least a third of the last 20 new sandboxes within 10 minutes of their creation. */
  isLikely(): boolean
}

const newest = 20
const soonMs = 10 * 60_000
const likelyShare = 1 / 3

export function makePythonUse(clock: () => number): PythonUse {
  let sandboxes: { sandboxId: string; beganAt: number; usesPython: boolean }[] = []
  return {
    began: (sandboxId) => {
      const created = { sandboxId, beganAt: clock(), usesPython: false }
      sandboxes = [...sandboxes.filter((known) => known.sandboxId !== sandboxId), created].slice(-newest)
    },
    used: (sandboxId) => {
      const found = sandboxes.find((known) => known.sandboxId === sandboxId)
      if (found !== undefined && clock() - found.beganAt <= soonMs) found.usesPython = true
    },
    isLikely: () => {
      const count = sandboxes.filter(({ usesPython }) => usesPython).length
      return count > 0 && count >= sandboxes.length * likelyShare
    },
  }
}
