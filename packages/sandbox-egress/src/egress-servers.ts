import type { Server } from 'node:http'
import { makeEventStream, makeOrdersServer } from '@threadbox/daemon'
import { egressContract, type GrantsEvent, grantsContract, serveContract } from '@threadbox/protocol/egress'
import type { Logger } from '@threadbox/telemetry'
import type { Broker } from './broker.ts'
import type { ConnectTo } from './connect-to.ts'
import { makeConnectionEvents } from './connection-events.ts'
import { pathUnknown } from './egress.errors.ts'
import { makeEgressOrders, makeGrantsOrders } from './egress-orders.ts'
import type { ResolveName } from './name-resolver.ts'
import { makeRelay, type Relay } from './relay.ts'
import { type ListenOnPort, listenOnPort } from './relay-ports.ts'
import { makeSandboxTable } from './relay-table.ts'
import { makeGrantsStore } from './sandbox-grants.ts'

export type EgressServersOptions = {
  resolve: ResolveName
  connect: ConnectTo
  listen?: ListenOnPort
  /** Another limit of time for tests. */
  firstBytesMs?: number
  /** Gets where to report requests to hosts with secrets. */
  makeBroker?: (ports: { onUsed(event: Omit<Extract<GrantsEvent, { type: 'used' }>, 'type'>): void }) => Broker
  logger: Logger
  clock: () => number
}

export type EgressServers = {
  /** For the server: which secrets are inserted where. */
  grants: Server
  /** For the host daemon: what each sandbox can reach. */
  orders: Server
  /** Listens for sandboxes as soon as the host has said what they may reach. */
  relay: Relay
}

/** A server that is this many requests behind has stopped. */
const longestQueue = 1000

/** Both servers of one egress process, which share its relay. Neither listens yet. */
export function makeEgressServers(options: EgressServersOptions): EgressServers {
  const { resolve, connect, listen = listenOnPort, logger, clock } = options
  const table = makeSandboxTable()
  const grants = makeGrantsStore()
  const connections = makeConnectionEvents({ clock })
  const used = makeEventStream<GrantsEvent>({
    opened: () => ({ type: 'opened', authority: broker?.authority ?? '' }),
    keepalive: { type: 'keepalive' },
    longestQueue,
  })
  const broker = options.makeBroker?.({ onUsed: (event) => used.emit({ type: 'used', ...event }) })
  const relay = makeRelay({
    table,
    grants,
    resolve,
    connect,
    listen,
    broker,
    firstBytesMs: options.firstBytesMs,
    onConnection: connections.note,
    logger,
  })
  const egressApi = makeEgressOrders({ table, relay, events: connections })
  const grantsApi = makeGrantsOrders({ grants, relay, events: used })
  return {
    grants: makeOrdersServer({ serve: serveContract(grantsContract, grantsApi), pathUnknown, logger }),
    orders: makeOrdersServer({ serve: serveContract(egressContract, egressApi), pathUnknown, logger }),
    relay,
  }
}
