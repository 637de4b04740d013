/**
 * Tells watchdogs when they can check seldom. A sandbox is calm while nothing of the user’s runs in it and nothing that
 * could start a program was requested for some seconds: checks were nine tenths of what an idle sandbox used.
 */
export type Calm = {
  isCalm(): boolean
  /** Something was requested that can start a program: calm ends before it runs. */
  disturb(): void
  /** Part of a watchdog’s checks: finds out whether calm begins, or ends because of a process. */
  update(): Promise<void>
  /** Called when calm ends, so that the next check doesn’t wait for its seldom turn. */
  onEnd(listener: () => void): void
}

/** A check while it is calm. */
export const calmCheckMs = 5_000
/** After the last request. Finding out costs as much as the checks of one second. */
const calmAfterMs = 2_000
/** Finding out costs more than a check, so where something runs it is rare. */
const againAfterMs = 30_000

export function makeCalm(ports: {
  /** The first thing of the user’s that runs; null if nothing does. */
  restObstacle: () => Promise<string | null>
  pids: () => number[]
  now?: () => number
}): Calm {
  const { restObstacle, pids, now = () => performance.now() } = ports
  const listeners: (() => void)[] = []
  let disturbedAt = now()
  let foundAt = Number.NEGATIVE_INFINITY
  /** The processes of a calm sandbox; undefined while it is not calm. */
  let still: string | undefined
  const disturb = () => {
    disturbedAt = now()
    foundAt = Number.NEGATIVE_INFINITY
    if (still === undefined) return
    still = undefined
    for (const listener of listeners) listener()
  }
  const textOf = () => pids().join(' ')
  return {
    isCalm: () => still !== undefined,
    disturb,
    update: async () => {
      if (still !== undefined) {
        if (still !== textOf()) disturb()
        return
      }
      const askedAt = now()
      if (askedAt - disturbedAt < calmAfterMs || askedAt - foundAt < againAfterMs) return
      const found = textOf()
      foundAt = askedAt
      const obstacle = await restObstacle()
      // Not if it was disturbed in the meantime.
      if (obstacle === null && disturbedAt < askedAt) still = found
    },
    onEnd: (listener) => void listeners.push(listener),
  }
}
