import type { ThreadEvent } from '@threadbox/protocol/public'

/**
 * Recorded events that a reader has not fetched yet, at most; past this it is told to read from the database instead,
 * so that a slow reader costs a fixed amount of memory. 512 deltas are about ten seconds of fast streaming.
 */
const maxWaitingEvents = 512

/** Hands events of this process to its live readers. Nothing is kept for readers that come later. */
export type LiveHub = {
  publish(threadId: string, events: readonly ThreadEvent[]): void
  subscribe(threadId: string): LiveReader
}

export type LiveReader = Disposable & {
  /** What has arrived since the last call. `hasLost` means that some of it was dropped: read the record instead. */
  take(): { events: ThreadEvent[]; hasLost: boolean }
  /** Resolves when there is something to take, or when the signal aborts. */
  arrived(signal: AbortSignal): Promise<void>
}

export function makeLiveHub(): LiveHub {
  const readers = new Map<string, Set<(events: readonly ThreadEvent[]) => void>>()
  return {
    publish: (threadId, events) => {
      for (const deliver of readers.get(threadId) ?? []) deliver(events)
    },
    subscribe: (threadId) => {
      const inbox = makeInbox()
      const ofThread = readers.get(threadId) ?? new Set()
      readers.set(threadId, ofThread.add(inbox.deliver))
      return Object.assign(inbox.reader, {
        [Symbol.dispose]: () => {
          ofThread.delete(inbox.deliver)
          if (ofThread.size === 0 && readers.get(threadId) === ofThread) readers.delete(threadId)
        },
      })
    },
  }
}

function makeInbox() {
  let waiting: ThreadEvent[] = []
  let hasLost = false
  let wake: (() => void) | undefined
  const deliver = (events: readonly ThreadEvent[]) => {
    if (waiting.length + events.length > maxWaitingEvents) {
      waiting = []
      hasLost = true
    } else waiting.push(...events)
    wake?.()
  }
  const reader = {
    take: () => {
      const taken = { events: waiting, hasLost }
      waiting = []
      hasLost = false
      return taken
    },
    arrived: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        const finish = () => {
          signal.removeEventListener('abort', finish)
          wake = undefined
          resolve()
        }
        if (waiting.length > 0 || hasLost || signal.aborted) return resolve()
        wake = finish
        signal.addEventListener('abort', finish)
      }),
  }
  return { deliver, reader }
}
