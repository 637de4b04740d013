import type { GatewayEvent } from '@threadbox/protocol/gateway'

/** Events for the host daemon. Nothing is stored: what comes before a stream is lost. */
export type GatewayEvents = {
  emit(event: GatewayEvent): void
  /** Begins with `opened`; from there on nothing is missed. Ends for a listener that doesn’t read. */
  follow(signal: AbortSignal): AsyncIterable<GatewayEvent>
}

/** A third of the silence after which the host counts a stream as lost (`silenceMs` in contract-client.ts). */
const keepaliveMs = 15_000
/** Activity is reported at most every 10 s for each sandbox and kind: a listener this far behind has stopped. */
const longestQueue = 1000

export function makeGatewayEvents(): GatewayEvents {
  const listeners = new Set<(event: GatewayEvent) => void>()
  return {
    emit: (event) => {
      for (const listener of listeners) listener(event)
    },
    follow: (signal) => streamOf(listeners, signal),
  }
}

function streamOf(listeners: Set<(event: GatewayEvent) => void>, signal: AbortSignal): ReadableStream<GatewayEvent> {
  let stop = () => {}
  return new ReadableStream<GatewayEvent>(
    {
      start: (controller) => {
        const send = (event: GatewayEvent) => {
          if ((controller.desiredSize ?? 0) > 0) return controller.enqueue(event)
          stop()
          controller.error(new Error('the listener does not read'))
        }
        const timer = setInterval(() => send({ type: 'keepalive' }), keepaliveMs)
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
        send({ type: 'opened' })
      },
      cancel: () => stop(),
    },
    { highWaterMark: longestQueue },
  )
}
