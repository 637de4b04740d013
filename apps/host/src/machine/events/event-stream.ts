import type { HostApi, HostEvent } from '@threadbox/protocol/host'
import type { HostEvents } from './host-events.ts'

/** Shorter than the time after which anything between two daemons takes a silent connection for a dead one. */
const keepaliveMs = 15_000
/** A listener that is further behind lists everything again when it reconnects, which is cheaper than waiting for it. */
const longestQueue = 1000

/** Live events until the listener or the host ends. Disconnects a listener that does not read. */
export function eventStream({ events, signal }: { events: HostEvents; signal: AbortSignal }): Pick<HostApi, 'events'> {
  return { events: (listening) => streamOf(events, AbortSignal.any([signal, listening])) }
}

function streamOf(events: HostEvents, signal: AbortSignal): ReadableStream<HostEvent> {
  return new ReadableStream<HostEvent>(
    {
      start: (controller) => {
        const send = (event: HostEvent) => {
          if ((controller.desiredSize ?? 0) <= 0) return end(new Error('the listener does not read'))
          controller.enqueue(event)
        }
        const timer = setInterval(() => send({ type: 'keepalive' }), keepaliveMs)
        const subscription = events.subscribe(send)
        const close = () => end()
        signal.addEventListener('abort', close, { once: true })
        const end = (error?: Error) => {
          clearInterval(timer)
          subscription[Symbol.dispose]()
          signal.removeEventListener('abort', close)
          if (error === undefined) controller.close()
          else controller.error(error)
        }
        // The first event means that the stream is open: from here on nothing is missed.
        send({ type: 'keepalive' })
      },
    },
    { highWaterMark: longestQueue },
  )
}
