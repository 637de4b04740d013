import type { Activity } from '@threadbox/domain'
import type { SandboxStore } from './sandboxes.store.ts'

/**
 * What was seen to go on in sandboxes since the server started. Memory of the server alone: what was used and when is
 * recorded now and then, and the host tells again of what lasts.
 */
export type SandboxActivity = {
  /** Somebody used the sandbox through the API. */
  touch(sandboxId: string): void
  /** The host saw work. An older sighting than the known one changes nothing. */
  saw(sandboxId: string, activity: Activity): void
  /** A file is being read or written until the result is disposed of. */
  transferring(sandboxId: string): Disposable
  isTransferring(sandboxId: string): boolean
  /** The last use that is known here; 0 when there was none. */
  usedAt(sandboxId: string): number
  of(sandboxId: string): readonly Activity[]
  /** What a sandbox did before it slept says nothing about it once it woke. */
  forget(sandboxId: string): void
  /** Moves everything by as much as the clock was set. */
  shift(byMs: number): void
}

type Seen = { usedAt: number; recordedAt: number; activities: Map<Activity['reason'], Activity>; transfers: number }

/** How old the recorded time of the last use may be: what a crash of the server takes from an idle time. */
const recordEveryMs = 15_000

export function makeSandboxActivity(options: {
  store: Pick<SandboxStore, 'noteUse'>
  now: () => number
  onSeen: (sandboxId: string) => void
  onError: (error: unknown) => void
}): SandboxActivity {
  const known = new Map<string, Seen>()
  const of = (sandboxId: string): Seen => {
    const seen = known.get(sandboxId) ?? { usedAt: 0, recordedAt: 0, activities: new Map(), transfers: 0 }
    known.set(sandboxId, seen)
    return seen
  }
  const use = (sandboxId: string, at: number) => {
    const seen = of(sandboxId)
    seen.usedAt = Math.max(seen.usedAt, Math.min(at, options.now()))
    if (seen.usedAt - seen.recordedAt >= recordEveryMs) {
      seen.recordedAt = seen.usedAt
      options.store.noteUse(sandboxId, seen.usedAt).catch(options.onError)
    }
    options.onSeen(sandboxId)
  }
  return {
    touch: (sandboxId) => use(sandboxId, options.now()),
    saw: (sandboxId, activity) => {
      const { activities } = of(sandboxId)
      const before = activities.get(activity.reason)
      if (before !== undefined && before.at > activity.at) return
      activities.set(activity.reason, activity)
      use(sandboxId, activity.at)
    },
    transferring: (sandboxId) => {
      of(sandboxId).transfers += 1
      let isOver = false
      return {
        [Symbol.dispose]: () => {
          if (isOver) return
          isOver = true
          of(sandboxId).transfers -= 1
          use(sandboxId, options.now())
        },
      }
    },
    isTransferring: (sandboxId) => (known.get(sandboxId)?.transfers ?? 0) > 0,
    usedAt: (sandboxId) => known.get(sandboxId)?.usedAt ?? 0,
    of: (sandboxId) => [...(known.get(sandboxId)?.activities.values() ?? [])],
    forget: (sandboxId) => {
      const seen = known.get(sandboxId)
      if (seen === undefined) return
      seen.activities.clear()
      if (seen.transfers === 0) known.delete(sandboxId)
    },
    shift: (byMs) => {
      for (const seen of known.values()) {
        seen.usedAt += byMs
        seen.recordedAt += byMs
        for (const [reason, activity] of seen.activities)
          seen.activities.set(reason, { ...activity, at: activity.at + byMs })
      }
    },
  }
}
