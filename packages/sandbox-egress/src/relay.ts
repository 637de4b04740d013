import type { Socket } from 'node:net'
import type { ConnectionEvent, RefusalReason, RelayedSandbox } from '@threadbox/protocol/egress'
import type { Logger } from '@threadbox/telemetry'
import type { Broker } from './broker.ts'
import type { ConnectTo } from './connect-to.ts'
import { isAllowed, isBrokered, portsOf } from './entries.logic.ts'
import { joinSockets } from './join-sockets.ts'
import type { ResolveName } from './name-resolver.ts'
import { makeOpenConnections, type OpenConnection } from './open-connections.ts'
import { reachName } from './reach-name.ts'
import { type ListenOnPort, makeRelayPorts } from './relay-ports.ts'
import type { SandboxTable } from './relay-table.ts'
import type { GrantsStore } from './sandbox-grants.ts'

export type RelayOptions = {
  table: Pick<SandboxTable, 'findSandbox' | 'nameOf' | 'sandboxes'>
  grants: Pick<GrantsStore, 'find'>
  resolve: ResolveName
  connect: ConnectTo
  listen: ListenOnPort
  broker?: Broker | undefined
  onConnection: (event: Omit<ConnectionEvent, 'type' | 'at'>) => void
  logger: Logger
}

export type Relay = {
  /** After a change of the table: listens on the ports that it names, and ends what it no longer allows. */
  follow(): Promise<void>
  /** Ends connections that a secret could be inserted into. */
  endBrokered(sandboxId: string, isMeant: (target: { name: string; port: number }) => boolean): Promise<void>
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
    if (sandbox === undefined) return client.resetAndDestroy()
    const name = table.nameOf(client.localAddress ?? '')
    const target = { sandboxId: sandbox.sandboxId, name: name ?? client.localAddress ?? '', port }
    const refuse = (reason: RefusalReason) => {
      options.onConnection({ ...target, decision: 'refused', reason })
      client.resetAndDestroy()
    }
    if (name === undefined) return refuse('address-unknown')
    if (!isAllowed(sandbox, target)) return refuse('not-allowed')
    const what = { ...target, isBrokered: isBrokered(sandbox.brokered, target) }
    const isOpen = connections.open(what, async (connection) => {
      await serve(connection, { client, refuse, options }).catch((error: unknown) => {
        logger.error({ err: error, ...target }, 'a connection of a sandbox broke')
      })
      client.resetAndDestroy()
    })
    if (!isOpen) refuse('too-many-connections')
  }
  const ports = makeRelayPorts({ onConnection: accept, listen: options.listen, logger })
  const isStillAllowed = ({ sandboxId, ...connection }: OpenConnection, sandboxes: Map<string, RelayedSandbox>) => {
    const sandbox = sandboxes.get(sandboxId)
    if (sandbox === undefined || !isAllowed(sandbox, connection)) return false
    return !connection.isBrokered || isBrokered(sandbox.brokered, connection)
  }
  return {
    follow: async () => {
      const sandboxes = new Map([...table.sandboxes()].map((sandbox) => [sandbox.sandboxId, sandbox]))
      await Promise.all([
        connections.endThose((connection) => !isStillAllowed(connection, sandboxes)),
        ports.listenOn(portsFor(sandboxes.values())),
      ])
    },
    endBrokered: (sandboxId, isMeant) =>
      connections.endThose((each) => each.sandboxId === sandboxId && each.isBrokered && isMeant(each)),
    hold: (sandboxId, isHeld) => connections.hold(sandboxId, isHeld),
    close: async () => {
      await Promise.all([ports.close(), connections.endThose(() => true)])
    },
  }
}

function portsFor(sandboxes: Iterable<RelayedSandbox>): Set<number> {
  const named = [...sandboxes].flatMap(({ names, brokered }) => [...names, ...brokered].flatMap(portsOf))
  return new Set([80, 443, ...named])
}

type Serving = { client: Socket; refuse: (reason: RefusalReason) => void; options: RelayOptions }

/** Ends after the connection has. */
async function serve(connection: OpenConnection, { client, refuse, options }: Serving): Promise<void> {
  const { sandboxId, name, port, isBrokered, gate, signal } = connection
  signal.addEventListener('abort', () => client.resetAndDestroy(), { once: true })
  const note = (decision: 'relayed' | 'brokered') =>
    options.onConnection({ sandboxId, name, port, decision, reason: null })
  if (isBrokered) {
    if (options.broker === undefined) return refuse('broker-missing')
    note('brokered')
    const grants = () => options.grants.find(sandboxId)
    return await options.broker.serve({ socket: client, sandboxId, name, port, grants, signal })
  }
  const { resolve, connect } = options
  const reached = await reachName({ name, port, resolve, connect, signal })
  if ('refused' in reached) return refuse(reached.refused)
  const { socket: upstream } = reached
  upstream.on('error', () => undefined)
  signal.addEventListener('abort', () => upstream.resetAndDestroy(), { once: true })
  if (signal.aborted) upstream.resetAndDestroy()
  note('relayed')
  await joinSockets({ client, upstream, gate })
}
