import type { Socket } from 'node:net'
import { isDeepStrictEqual } from 'node:util'
import { rangesOf } from '@threadbox/domain'
import type { ConnectionEvent, RefusalReason, RelayedSandbox } from '@threadbox/protocol/egress'
import type { Logger } from '@threadbox/telemetry'
import type { Broker } from './broker.ts'
import { makeClientGuard } from './client-guard.ts'
import { makeDeadline } from './deadline.ts'
import { isAllowed, isBrokered, portsOf } from './entries.logic.ts'
import { type Inspect, joinSockets } from './join-sockets.ts'
import { makeOpenConnections, type OpenConnection } from './open-connections.ts'
import type { ReachName } from './reach-name.ts'
import { readFirst } from './read-first.ts'
import { type ListenOnPort, makeRelayPorts } from './relay-ports.ts'
import type { SandboxTable } from './relay-table.ts'
import { reset } from './reset.ts'
import type { GrantsStore } from './sandbox-grants.ts'

export type RelayOptions = {
  table: Pick<SandboxTable, 'findSandbox' | 'nameOf' | 'sandboxes'>
  grants: Pick<GrantsStore, 'find'>
  reach: ReachName
  listen: ListenOnPort
  broker?: Broker | undefined
  /** Another limit of time for tests. */
  firstBytesMs?: number | undefined
  onConnection: (event: Omit<ConnectionEvent, 'type' | 'at'>) => void
  logger: Logger
}

/** How long a sandbox can take to send what a connection is for. Clients of HTTP and TLS send it immediately. */
const defaultFirstBytesMs = 10_000

export type Relay = {
  /** After a change of the table: listens on the ports that it names, and ends what it no longer allows. */
  follow(): Promise<void>
  /** Ends the sandbox’s connections that secrets are inserted into. */
  endBrokered(sandboxId: string): Promise<void>
  hold(sandboxId: string, isHeld: boolean): void
  close(): Promise<void>
}

/**
 * Connects sandboxes to names. A connection’s source says which sandbox it is of, which the firewall guarantees, and its
 * destination which name is meant: a virtual address stands for one name.
 */
export function makeRelay(options: RelayOptions): Relay {
  const { table, logger } = options
  const connections = makeOpenConnections()
  const accept = (client: Socket, port: number) => {
    client.on('error', () => undefined)
    const sandbox = table.findSandbox(client.remoteAddress ?? '')
    if (sandbox === undefined) return reset(client)
    const name = table.nameOf(client.localAddress ?? '')
    const target = { sandboxId: sandbox.sandboxId, name: name ?? client.localAddress ?? '', port }
    let isRefused = false
    const refuse = (reason: RefusalReason) => {
      if (isRefused) return
      isRefused = true
      options.onConnection({ ...target, decision: 'refused', reason })
      reset(client)
    }
    if (name === undefined) return refuse('address-unknown')
    if (!isAllowed(sandbox, target)) return refuse('not-allowed')
    const ranges = rangesOf(sandbox.privateAddresses, target)
    const what = { ...target, isBrokered: isBrokered(sandbox.brokered, target), ranges }
    const isOpen = connections.open(what, async (connection) => {
      await serve(connection, { client, refuse, options }).catch((error: unknown) => {
        logger.error({ err: error, ...target }, 'a connection of a sandbox broke')
      })
      reset(client)
    })
    if (!isOpen) refuse('too-many-connections')
  }
  const ports = makeRelayPorts({ onConnection: accept, listen: options.listen, logger })
  /** The policy under which each connection was allowed last: unchanged ones are not read again. */
  const allowedBy = new WeakMap<OpenConnection, RelayedSandbox>()
  const isStillAllowed = (connection: OpenConnection, sandbox: RelayedSandbox | undefined) => {
    if (sandbox === undefined) return false
    if (allowedBy.get(connection) === sandbox) return true
    allowedBy.set(connection, sandbox)
    // It may be at an address that the name’s ranges no longer have, or that is public.
    if (!isDeepStrictEqual(rangesOf(sandbox.privateAddresses, connection), connection.ranges)) return false
    return isAllowed(sandbox, connection) && (!connection.isBrokered || isBrokered(sandbox.brokered, connection))
  }
  return {
    follow: async () => {
      const sandboxes = new Map([...table.sandboxes()].map((sandbox) => [sandbox.sandboxId, sandbox]))
      await Promise.all([
        connections.endThose((connection) => !isStillAllowed(connection, sandboxes.get(connection.sandboxId))),
        ports.listenOn(portsFor(sandboxes.values())),
      ])
    },
    endBrokered: (sandboxId) => connections.endThose((each) => each.sandboxId === sandboxId && each.isBrokered),
    hold: (sandboxId, isHeld) => connections.hold(sandboxId, isHeld),
    close: async () => {
      await Promise.all([ports.close(), connections.endThose(() => true)])
    },
  }
}

const portsBySandbox = new WeakMap<RelayedSandbox, readonly number[]>()

function portsFor(sandboxes: Iterable<RelayedSandbox>): Set<number> {
  const named = [...sandboxes].flatMap((sandbox) => {
    const ports = portsBySandbox.get(sandbox) ?? portsNamedBy(sandbox)
    portsBySandbox.set(sandbox, ports)
    return ports
  })
  return new Set([80, 443, ...named])
}

function portsNamedBy({ names, brokered, privateAddresses }: RelayedSandbox): number[] {
  return [...new Set([...[...names, ...brokered].flatMap(portsOf), ...privateAddresses.map(({ port }) => port)])]
}

type Serving = { client: Socket; refuse: (reason: RefusalReason) => void; options: RelayOptions }

/** Ends after the connection has. */
async function serve(connection: OpenConnection, serving: Serving): Promise<void> {
  const { sandboxId, name, port, isBrokered, signal } = connection
  const { client, refuse, options } = serving
  signal.addEventListener('abort', () => reset(client), { once: true })
  if (!isBrokered) return await pass(connection, serving)
  if (options.broker === undefined) return refuse('broker-missing')
  options.onConnection({ sandboxId, name, port, decision: 'brokered', reason: null })
  const grants = () => options.grants.find(sandboxId)
  await options.broker.serve({ socket: client, sandboxId, name, port, grants, signal })
}

/** Passes bytes as they are, once it is known that they are for this name. */
async function pass(connection: OpenConnection, { client, refuse, options }: Serving): Promise<void> {
  const { sandboxId, name, port, ranges, gate, signal } = connection
  const { reach, firstBytesMs = defaultFirstBytesMs } = options
  const guard = makeClientGuard({ name, port })
  const deadline = makeDeadline({ ms: firstBytesMs, gate, onLate: () => refuse('too-slow') })
  const inspect: Inspect = (bytes) => {
    const inspected = guard.push(bytes)
    if ('refused' in inspected) {
      refuse(inspected.refused)
      return []
    }
    if (guard.isWaiting()) deadline.start()
    else deadline.stop()
    return inspected.forward
  }
  try {
    if (guard.isWaiting()) deadline.start()
    const first = guard.isWaiting() ? await readFirst({ client, gate, inspect }) : []
    if (first === undefined || client.destroyed) return
    const reached = await reach({ name, port, ranges, signal, inBulk: true })
    if (signal.aborted) return void ('socket' in reached && reached.socket.destroy())
    if ('refused' in reached) return refuse(reached.refused)
    const { socket: upstream, reader } = reached
    upstream.on('error', () => undefined)
    signal.addEventListener('abort', () => reset(upstream), { once: true })
    options.onConnection({ sandboxId, name, port, decision: 'relayed', reason: null })
    for (const bytes of first) upstream.write(bytes)
    await joinSockets({ client, upstream, reader, gate, inspect })
  } finally {
    deadline.stop()
  }
}
