import type { UserEvent } from '@threadbox/protocol/public'
import type { UserHub } from '../../people/public.ts'
import type { SseMessage } from '../../platform/http/event-stream.ts'

/** With more different threads waiting, the stream ends: the reader lists the threads again when it reconnects. */
const maxWaiting = 1000

/**
 * The events of one user until aborted. For a slow reader a newer event about a thread replaces the older one, so that
 * at most one event per thread waits. `sees` is asked when an event is next to be sent.
 */
export async function* followUser(
  hub: UserHub,
  { userId, sees, signal }: { userId: string; sees: (event: UserEvent) => Promise<boolean>; signal: AbortSignal },
): AsyncGenerator<SseMessage> {
  const waiting = new Map<string, UserEvent>()
  let wake = () => {}
  using _subscription = hub.subscribe(userId, (event) => {
    const key = keyOf(event)
    waiting.delete(key)
    waiting.set(key, event)
    wake()
  })
  const abort = () => wake()
  signal.addEventListener('abort', abort)
  try {
    while (!signal.aborted && waiting.size <= maxWaiting) {
      const first = waiting.entries().next().value
      if (first === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      waiting.delete(first[0])
      if (await sees(first[1])) yield { data: JSON.stringify(first[1]) }
    }
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function keyOf(event: UserEvent): string {
  if (event.type === 'thread-updated') return event.thread.id
  if (event.type === 'services-updated') return `${event.type} ${event.threadId}`
  if (event.type === 'files-changed') return `${event.type} ${event.threadId} ${event.path ?? ''}`
  if (event.type === 'files-copying') return `${event.type} ${event.copyId}`
  if (event.type === 'presence-updated') return `${event.type} ${event.threadId}`
  if (event.type === 'terminals-updated' || event.type === 'snapshots-updated') return `${event.type} ${event.threadId}`
  return event.type === 'thread-removed' ? event.threadId : event.type
}
