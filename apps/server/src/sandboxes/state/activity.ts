import type { Activity } from '@threadbox/domain'
import type { SandboxStore } from './sandboxes.store.ts'

/**
 * Activity seen in sandboxes since the server started. It is only in the server’s memory: the time of the last use is
 * recorded now and then, and the host repeats what lasts.
 */
export type SandboxActivity = {
  /** Records a use of the sandbox through the API. */
  touch(sandboxId: string): void
  /** Records activity seen by the host. An older report than the known one changes nothing. */
  saw(sandboxId: string, activity: Activity): void
  /** A file is being read or written until the result is disposed of. */
  transferring(sandboxId: string): Disposable
  isTransferring(sandboxId: string): boolean
  /** Time of the last use that the server knows; 0 if there was none. */
  usedAt(sandboxId: string): number
  of(sandboxId: string): readonly Activity[]
  /** Call it when a sandbox sleeps: what it did before says nothing about it after the wake. */
  forget(sandboxId: string): void
  /** Moves all times by as much as the clock was set. */
  shift(byMs: number): void
}

type Seen = { usedAt: number; recordedAt: number; activities: Map<Activity['reason'], Activity>; transfers: number }

/** How old the recorded time of the last use can be, which is the idle time that a crash of the server can lose. */
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
      let hasEnded = false
      return {
        [Symbol.dispose]: () => {
          if (hasEnded) return
          hasEnded = true
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
