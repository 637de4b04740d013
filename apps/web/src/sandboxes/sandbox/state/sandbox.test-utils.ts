import type { SandboxView } from '@threadbox/sdk'

export const hour = 3_600_000
/** Noon, so that hours around it are on the same day in every time zone. */
export const noon = new Date(2030, 5, 12, 12).getTime()

/** A sandbox that has been in its state for an hour. */
export function sandboxOf(state: SandboxView['state'], values: Partial<SandboxView> = {}): SandboxView {
  return {
    state,
    since: noon - hour,
    detail: null,
    limits: { memoryBytes: 4 * 1024 ** 3, cpus: 2, processes: 1024, diskBytes: 10 * 1024 ** 3 },
    ...values,
  }
}

export type Awake = NonNullable<SandboxView['awake']>

/** Awake for these reasons. */
export function awakeFor(reasons: Awake['reasons'], values: Partial<Awake> = {}): SandboxView {
  const awake = { reasons, pauseAt: null, heldUntil: null, latestPauseAt: null, ...values }
  return sandboxOf('active', { awake })
}
