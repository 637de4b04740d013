import { type EventStream, makeEventStream } from '@threadbox/daemon'
import type { ConnectionEvent, EgressEvent } from '@threadbox/protocol/egress'

export type ConnectionEvents = {
  note(event: Omit<ConnectionEvent, 'type' | 'at'>): void
  follow: EventStream<EgressEvent>['follow']
}

/** Equal events of a sandbox within this time are one. */
const sameWithinMs = 1000
/** Different events of one sandbox within that time; a sandbox with more floods, and the rest tells nothing new. */
const maxPerSandbox = 100
/** In all, within that time. */
const maxInTotal = 1000
/** Two seconds of a flood: a listener this far behind has stopped. */
const longestQueue = 2 * maxInTotal

/** Connections for the host daemon, so few that a sandbox can’t fill this process’s memory or the host’s. */
export function makeConnectionEvents({ clock }: { clock: () => number }): ConnectionEvents {
  const stream = makeEventStream<EgressEvent>({
    opened: () => ({ type: 'opened' }),
    keepalive: { type: 'keepalive' },
    longestQueue,
  })
  /** What each sandbox has reported in the current second. */
  const reported = new Map<string, Set<string>>()
  let startedAt = 0
  let total = 0
  return {
    note: (event) => {
      const at = clock()
      if (Math.abs(at - startedAt) >= sameWithinMs) {
        reported.clear()
        startedAt = at
        total = 0
      }
      if (total >= maxInTotal) return
      const known = reported.get(event.sandboxId) ?? new Set()
      reported.set(event.sandboxId, known)
      const key = `${event.name} ${event.port} ${event.decision} ${event.reason}`
      if (known.has(key) || known.size >= maxPerSandbox) return
      known.add(key)
      total += 1
      stream.emit({ type: 'connection', ...event, at })
    },
    follow: (signal) => stream.follow(signal),
  }
}
