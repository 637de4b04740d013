/** Events for other processes. Nothing is stored: what comes before a stream is lost. */
export type EventStream<Event> = {
  emit(event: Event): void
  /** Begins with the first event of a stream; from there on nothing is missed. Ends for a listener that doesn’t read. */
  follow(signal: AbortSignal): AsyncIterable<Event>
}

/** A third of the silence after which a reader counts a stream as lost (`silenceMs` in contract-client.ts). */
const keepaliveMs = 15_000

export type EventStreamOptions<Event> = {
  /** The first event of each stream. */
  opened: () => Event
  keepalive: Event
  /** A listener this many events behind has stopped. */
  longestQueue: number
}

export function makeEventStream<Event>(options: EventStreamOptions<Event>): EventStream<Event> {
  const listeners = new Set<(event: Event) => void>()
  return {
    emit: (event) => {
      for (const listener of listeners) listener(event)
    },
    follow: (signal) => streamOf(listeners, { ...options, signal }),
  }
}

function streamOf<Event>(
  listeners: Set<(event: Event) => void>,
  { opened, keepalive, longestQueue, signal }: EventStreamOptions<Event> & { signal: AbortSignal },
): ReadableStream<Event> {
  let stop = () => {}
  return new ReadableStream<Event>(
    {
      start: (controller) => {
        const send = (event: Event) => {
          if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(event)
          stop()
          controller.error(new Error('the listener does not read'))
        }
        const timer = setInterval(() => send(keepalive), keepaliveMs)
        const close = () => {
          stop()
          controller.close()
        }
        stop = () => {
          clearInterval(timer)
          listeners.delete(send)
          signal.removeEventListener('abort', close)
        }
        signal.addEventListener('abort', close, { once: true })
        listeners.add(send)
        send(opened())
      },
      cancel: () => stop(),
    },
    { highWaterMark: longestQueue },
  )
}
