import type { HoldGate } from './hold-gate.ts'

/** A limit of time that a sandbox has while it isn’t held. */
export type Deadline = {
  /** Starts the time, if it isn’t running. */
  start(): void
  stop(): void
}

export function makeDeadline(options: { ms: number; gate: HoldGate; onLate: () => void }): Deadline {
  const { ms, gate, onLate } = options
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWanted = false
  const update = () => {
    const isRunning = isWanted && !gate.isHeld()
    if (isRunning) timer ??= setTimeout(onLate, ms)
    else {
      clearTimeout(timer)
      timer = undefined
    }
  }
  const unfollow = gate.onChange(update)
  return {
    start: () => {
      isWanted = true
      update()
    },
    stop: () => {
      isWanted = false
      update()
      unfollow()
    },
  }
}
