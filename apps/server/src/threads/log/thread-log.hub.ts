import type { ThreadEvent } from '@threadbox/protocol/public'

/**
 * Limit of events that wait for a reader. Past it the reader reads from the database instead, so that a slow reader
 * takes a fixed amount of memory. 512 deltas are about 10 seconds of fast streaming.
 */
const maxWaitingEvents = 512
const maxWaitingCharacters = 2 * 1024 * 1024

/** Passes events of this process to its live readers. Events are not kept for later readers. */
export type LiveHub = {
  /** `characters` is the approximate size of the events. */
  publish(threadId: string, events: readonly ThreadEvent[], characters: number): void
  subscribe(threadId: string): LiveReader
}

export type LiveReader = Disposable & {
  /** Returns the events since the last call. `hasLost` means that some were dropped: read the record instead. */
  take(): { events: ThreadEvent[]; hasLost: boolean }
  /** Resolves when events have arrived, or when the signal aborts. */
  arrived(signal: AbortSignal): Promise<void>
}

type Deliver = (events: readonly ThreadEvent[], characters: number) => void

export function makeLiveHub(): LiveHub {
  const readers = new Map<string, Set<Deliver>>()
  return {
    publish: (threadId, events, characters) => {
      for (const deliver of readers.get(threadId) ?? []) deliver(events, characters)
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
  let waitingCharacters = 0
  const deliver: Deliver = (events, characters) => {
    const isTooMuch = waitingCharacters + characters > maxWaitingCharacters
    if (isTooMuch || waiting.length + events.length > maxWaitingEvents) {
      waiting = []
      waitingCharacters = 0
      hasLost = true
    } else {
      waiting.push(...events)
      waitingCharacters += characters
    }
    wake?.()
  }
  const reader = {
    take: () => {
      const taken = { events: waiting, hasLost }
      waiting = []
      waitingCharacters = 0
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
