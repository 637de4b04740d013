import { type ClockReading, clockJumpMs } from '@threadbox/domain'
import type { LifecycleStore } from './lifecycle.store.ts'

/** A clock that is never set, and the boot of the machine that it counts. */
export type MachineClock = { uptimeMs(): number; bootId: string }

/**
 * Detects by how much the wall clock was set, also while the server was not running: deadlines move with it, so that
 * nothing expires early. Across a restart of the machine, only a clock that was set back is distinguishable from
 * passing time.
 */
export function makeLifecycleClock(options: {
  store: Pick<LifecycleStore, 'clock' | 'setClock'>
  machine: MachineClock
  now: () => number
}): { jumpMs(): Promise<number> } {
  const { store, machine } = options
  let known: (ClockReading & { machineBoot: string }) | undefined
  let recordedAt = Number.NEGATIVE_INFINITY
  return {
    jumpMs: async () => {
      const before = known ?? (await store.clock())
      const reading = { wallMs: options.now(), uptimeMs: machine.uptimeMs(), machineBoot: machine.bootId }
      known = reading
      const jump = before === undefined ? 0 : jumpSince(before, reading)
      if (jump !== 0 || reading.uptimeMs - recordedAt >= recordEveryMs) {
        recordedAt = reading.uptimeMs
        await store.setClock(reading)
      }
      return jump
    },
  }
}

/** A jump while the server is not running is measured from the last record. */
const recordEveryMs = 60_000

function jumpSince(
  before: ClockReading & { machineBoot: string },
  now: ClockReading & { machineBoot: string },
): number {
  if (before.machineBoot === now.machineBoot) return clockJumpMs(before, now)
  return Math.min(0, now.wallMs - before.wallMs)
}
