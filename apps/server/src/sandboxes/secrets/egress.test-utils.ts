import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { httpStatusOf, toWireError } from '@threadbox/errors'
import {
  type Grant,
  type GrantsEvent,
  grantsContract,
  type SandboxGrants,
  serveContract,
} from '@threadbox/protocol/egress'

/** A real unix socket that speaks the broker’s contract with the server, and inserts nothing. */
export type EgressStandIn = AsyncDisposable & {
  socketPath: string
  /** The grants that it has acknowledged, by sandbox. */
  grants: Map<string, Grant[]>
  /** Orders in the order of their arrival. */
  orders: { sandboxId: string; revision: number; names: string[] }[]
  removed: string[]
  /** Awaited before each order is acknowledged. */
  gate: (order: SandboxGrants) => Promise<void>
  emit(event: GrantsEvent): void
  /** Ends all connections and forgets everything, as a restart does. */
  restart(): void
}

export async function startEgressStandIn(directory: string, authority = 'an authority'): Promise<EgressStandIn> {
  const streams = new Set<(event: GrantsEvent) => void>()
  const standIn: EgressStandIn = {
    socketPath: join(directory, 'egress.sock'),
    grants: new Map(),
    orders: [],
    removed: [],
    gate: async () => {},
    emit: (event) => {
      for (const send of streams) send(event)
    },
    restart: () => {
      standIn.grants.clear()
      server.closeAllConnections()
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  const serve = serveContract(grantsContract, {
    events: (signal) => follow({ streams, authority, signal }),
    setGrants: async (order) => {
      const { sandboxId, revision, grants } = order
      standIn.orders.push({ sandboxId, revision, names: grants.map(({ name }) => name) })
      await standIn.gate(order)
      standIn.grants.set(sandboxId, grants)
      return { revision }
    },
    removeGrants: async ({ sandboxId }) => {
      standIn.removed.push(sandboxId)
      standIn.grants.delete(sandboxId)
    },
  })
  const listener = getRequestListener(async (request) => {
    try {
      return (await serve(request)) ?? new Response(null, { status: 404 })
    } catch (error) {
      return new Response(JSON.stringify(toWireError(error, 'test')), { status: httpStatusOf(error) })
    }
  })
  const server = createServer((request, response) => void listener(request, response))
  server.listen(standIn.socketPath)
  await once(server, 'listening')
  return standIn
}

async function* follow(options: {
  streams: Set<(event: GrantsEvent) => void>
  authority: string
  signal: AbortSignal
}): AsyncGenerator<GrantsEvent> {
  const { streams, authority, signal } = options
  const waiting: GrantsEvent[] = [{ type: 'opened', authority }]
  let wake = Promise.withResolvers<void>()
  const add = (event: GrantsEvent) => {
    waiting.push(event)
    wake.resolve()
  }
  streams.add(add)
  signal.addEventListener('abort', () => wake.resolve())
  try {
    while (!signal.aborted) {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event
      await wake.promise
      wake = Promise.withResolvers<void>()
    }
  } finally {
    streams.delete(add)
  }
}
