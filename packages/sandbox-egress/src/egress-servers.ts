import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { makeEventStream, makeOrdersServer } from '@threadbox/daemon'
import { rangesOf } from '@threadbox/domain'
import { egressContract, type GrantsEvent, grantsContract, serveContract } from '@threadbox/protocol/egress'
import type { Logger } from '@threadbox/telemetry'
import type { Broker } from './broker.ts'
import { makeConnectionEvents } from './connection-events.ts'
import { nameNotReached, pathUnknown } from './egress.errors.ts'
import { makeEgressOrders, makeGrantsOrders } from './egress-orders.ts'
import type { ReachName } from './reach-name.ts'
import { makeRelay, type Relay } from './relay.ts'
import { type ListenOnPort, listenOnPort } from './relay-ports.ts'
import { makeSandboxTable } from './relay-table.ts'
import { makeGrantsStore } from './sandbox-grants.ts'

export type EgressServersOptions = {
  reach: ReachName
  listen?: ListenOnPort
  /** Another limit of time for tests. */
  firstBytesMs?: number
  makeBroker?: (ports: BrokerPorts) => Broker
  logger: Logger
  clock: () => number
}

export type BrokerPorts = {
  /** Reports a request to a host with secrets. */
  onUsed(event: Omit<Extract<GrantsEvent, { type: 'used' }>, 'type'>): void
  /** Connects to a name for a sandbox, as the relay does. Fails with `egress.name-not-reached`. */
  connect(target: { sandboxId: string; name: string; port: number }): Promise<Socket>
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
  const { reach, listen = listenOnPort, logger, clock } = options
  const table = makeSandboxTable()
  const grants = makeGrantsStore()
  const connections = makeConnectionEvents({ clock })
  const used = makeEventStream<GrantsEvent>({
    opened: () => ({ type: 'opened', authority: broker?.authority ?? '' }),
    keepalive: { type: 'keepalive' },
    longestQueue,
  })
  const broker = options.makeBroker?.({
    onUsed: (event) => used.emit({ type: 'used', ...event }),
    connect: async (target) => {
      const { sandboxId, name, port } = target
      const ranges = rangesOf(table.find(sandboxId)?.privateAddresses ?? [], target)
      const reached = await reach({ name, port, ranges, signal: new AbortController().signal })
      if ('refused' in reached) {
        connections.note({ sandboxId, name, port, decision: 'refused', reason: reached.refused })
        throw nameNotReached({ name, reason: reached.refused })
      }
      return reached.socket
    },
  })
  const relay = makeRelay({
    table,
    grants,
    reach,
    listen,
    broker,
    firstBytesMs: options.firstBytesMs,
    onConnection: connections.note,
    logger,
  })
  const egressApi = makeEgressOrders({ table, relay, events: connections })
  const grantsApi = makeGrantsOrders({ grants, relay, broker, events: used })
  return {
    grants: makeOrdersServer({ serve: serveContract(grantsContract, grantsApi), pathUnknown, logger }),
    orders: makeOrdersServer({ serve: serveContract(egressContract, egressApi), pathUnknown, logger }),
    relay,
  }
}
