import { type EventStream, makeEventStream } from '@threadbox/daemon'
import type { GatewayEvent } from '@threadbox/protocol/gateway'

/** Events for the host daemon. */
export type GatewayEvents = EventStream<GatewayEvent>

/** Activity is reported at most every 10 s for each sandbox and kind: a listener this far behind has stopped. */
const longestQueue = 1000

export function makeGatewayEvents(): GatewayEvents {
  return makeEventStream<GatewayEvent>({
    opened: () => ({ type: 'opened' }),
    keepalive: { type: 'keepalive' },
    longestQueue,
  })
}
