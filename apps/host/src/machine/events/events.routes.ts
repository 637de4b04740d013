import { hostPaths } from '@threadbox/protocol/host'
import type { Hono } from 'hono'
import type { HostEvents } from './host-events.ts'

/** Shorter than the time after which anything between two daemons takes a silent connection for a dead one. */
const keepaliveMs = 15_000
/** A listener that is further behind lists everything again when it reconnects, which is cheaper than waiting for it. */
const longestQueue = 1000

/** `GET /v1/events`: one JSON object per line, live. A listener that does not read is disconnected. */
export function addEventRoutes(app: Hono, { events, signal }: { events: HostEvents; signal: AbortSignal }): void {
  app.get(hostPaths.events, () => new Response(streamOf({ events, signal }), { headers: streamHeaders }))
}

const streamHeaders = { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' }

function streamOf({ events, signal }: { events: HostEvents; signal: AbortSignal }): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let release = () => {}
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const send = (event: unknown) => {
          if ((controller.desiredSize ?? 0) <= 0) return end(new Error('the listener does not read'))
          controller.enqueue(encoder.encode(`${JSON.stringify(event)}\n`))
        }
        const timer = setInterval(() => send({ type: 'keepalive' }), keepaliveMs)
        const subscription = events.subscribe(send)
        const close = () => end()
        signal.addEventListener('abort', close, { once: true })
        release = () => {
          clearInterval(timer)
          subscription[Symbol.dispose]()
          signal.removeEventListener('abort', close)
        }
        const end = (error?: Error) => {
          release()
          if (error === undefined) controller.close()
          else controller.error(error)
        }
        // The first line says that the stream is open: from here on nothing is missed.
        send({ type: 'keepalive' })
      },
      cancel: () => release(),
    },
    { highWaterMark: longestQueue },
  )
}
