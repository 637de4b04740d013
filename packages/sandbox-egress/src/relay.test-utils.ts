import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import {
  type ConnectionEvent,
  type EgressApi,
  egressContract,
  type GrantsApi,
  grantsContract,
  makeContractApi,
  type RelayedSandbox,
  type SendRequest,
} from '@threadbox/protocol/egress'
import { makeLogger } from '@threadbox/telemetry'
import { connectTo } from './connect-to.ts'
import { type EgressServersOptions, makeEgressServers } from './egress-servers.ts'
import { makeDirectReach, type ReachName } from './reach-name.ts'

/** All of 127.0.0.0/8 is local, so sandboxes and virtual addresses of these tests are from it. */
export const sandboxAddress = '127.0.1.6'
export const sandboxId = 's0000000000000000000a'
/** Addresses that sandboxes can reach; the relay’s connections to them arrive at servers of the test. */
export const publicAddress = '192.0.9.1'

export type TestRelay = {
  host: EgressApi
  server: GrantsApi
  /** The events that the host got, in order. */
  events: ConnectionEvent[]
  /** What a name resolves to. */
  addresses: Map<string, readonly string[]>
  /** Where a connection of the relay to `address:port` arrives. */
  route(address: string, port: number, server: Server): Promise<void>
  /** Connects as a sandbox. */
  dial(options: { to: string; port: number; from?: string }): Socket
  /** Waits for an event of a connection with this name. */
  eventOf(name: string): Promise<ConnectionEvent>
  close(): Promise<void>
}

/** A real relay on real sockets, in this process; only its ports and its way to the internet are the test’s. */
export async function openRelay(
  options: Partial<EgressServersOptions> & { makeReach?: (direct: ReachName) => ReachName } = {},
): Promise<TestRelay> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-egress-'))
  const listening = new Map<number, Server>()
  const routes = new Map<string, Server>()
  const addresses = new Map<string, readonly string[]>()
  const events: ConnectionEvent[] = []
  const reach = makeDirectReach({
    resolve: async (name) => addresses.get(name) ?? [],
    connect: async (to) => {
      const server = routes.get(`${to.address}:${to.port}`)
      if (server === undefined) throw new Error('no route')
      return await connectTo({ ...to, address: '127.0.0.1', port: portOf(server) })
    },
  })
  const { grants, orders, relay } = makeEgressServers({
    reach: options.makeReach?.(reach) ?? reach,
    listen: (server, port) => {
      listening.set(port, server)
      server.listen({ host: '0.0.0.0', port: 0 })
    },
    logger: makeLogger({ process: 'test', level: 'silent' }),
    clock: Date.now,
    ...options,
  })
  const sockets = { host: path.join(directory, 'host.sock'), server: path.join(directory, 'server.sock') }
  await once(orders.listen(sockets.host), 'listening')
  await once(grants.listen(sockets.server), 'listening')
  const agent = new Agent({ keepAlive: true })
  const host = makeContractApi(egressContract, sender(sockets.host, agent))
  const waiting = new Set<() => void>()
  const following = new AbortController()
  const isOpen = Promise.withResolvers<void>()
  const followed = (async () => {
    for await (const event of host.events(following.signal)) {
      if (event.type === 'opened') isOpen.resolve()
      if (event.type === 'connection') events.push(event)
      for (const check of waiting) check()
    }
  })().catch(() => undefined)
  await isOpen.promise
  return {
    host,
    server: makeContractApi(grantsContract, sender(sockets.server, agent)),
    events,
    addresses,
    route: async (address, port, server) => {
      if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening')
      routes.set(`${address}:${port}`, server)
    },
    dial: ({ to, port, from = sandboxAddress }) => {
      const server = listening.get(port)
      if (server === undefined) throw new Error(`the relay does not listen on ${port}`)
      const socket = connect({ host: to, port: portOf(server), localAddress: from, allowHalfOpen: true, noDelay: true })
      socket.on('error', () => undefined)
      return socket
    },
    eventOf: async (name) => {
      const { promise, resolve } = Promise.withResolvers<ConnectionEvent>()
      const check = () => {
        const found = events.find((event) => event.name === name)
        if (found !== undefined) resolve(found)
      }
      waiting.add(check)
      check()
      return await promise.finally(() => waiting.delete(check))
    },
    close: async () => {
      following.abort()
      await followed
      await relay.close()
      agent.destroy()
      for (const server of [orders, grants]) {
        server.closeAllConnections()
        server.close()
      }
      for (const server of new Set(routes.values())) server.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

export function sandboxWith(given: Partial<RelayedSandbox>): RelayedSandbox {
  return {
    sandboxId,
    address: sandboxAddress,
    kind: 'allowlist',
    names: [],
    brokered: [],
    privateAddresses: [],
    ...given,
  }
}

/** A server that hands each connection to `serve`. */
export function tcpServer(serve: (socket: Socket) => void): Server {
  return createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined)
    serve(socket)
  })
}

/** Whether the connection was reset, or ended in order. */
export async function endOf(socket: Socket): Promise<'reset' | 'ended'> {
  socket.resume()
  const { promise, resolve } = Promise.withResolvers<'reset' | 'ended'>()
  socket.once('error', () => resolve('reset'))
  socket.once('close', (hadError) => resolve(hadError ? 'reset' : 'ended'))
  if (socket.readableEnded) socket.end()
  else socket.once('end', () => socket.end())
  return await promise
}

function sender(socketPath: string, agent: Agent): SendRequest {
  return async ({ method, path: at, headers, body, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const sent = request({ socketPath, method, path: at, headers, agent, ...(signal && { signal }) }, (response) => {
      const stream = Readable.toWeb(response) as ReadableStream<Uint8Array>
      const isEmpty = response.statusCode === 204
      resolve(new Response(isEmpty ? null : stream, { status: response.statusCode ?? 500 }))
      if (isEmpty) response.resume()
    })
    sent.on('error', reject)
    sent.end(body as string | undefined)
    return await promise
  }
}
