import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { toWireError } from '@threadbox/errors'
import {
  type GatewayApi,
  type GatewayEvent,
  gatewayContract,
  guestRequestFailed,
  makeContractApi,
} from '@threadbox/protocol/gateway'
import { accessTokenHeader, guestPort } from '@threadbox/protocol/guest'
import { makeLogger } from '@threadbox/telemetry'
import { makeGatewayServers } from './gateway-servers.ts'

/** What a guest on loopback does; requests without the right token never reach it. */
export type GuestBehavior = (request: IncomingMessage, response: ServerResponse) => void

export type GatewayUnderTest = AsyncDisposable & {
  /** Where the server sends requests to sandboxes. */
  url: string
  /** What the host daemon orders. */
  orders: GatewayApi
  /** A guest at its usual port on an address of this machine. */
  guest: Server
  guestAddress: { address: string; accessToken: string }
  /** All events that the host got. */
  events: GatewayEvent[]
  /** Admits a boot of the guest. */
  admit(): Promise<{ sandboxId: string; bootId: string }>
  close(boot: { sandboxId: string; bootId: string }): Promise<void>
}

export function newId(kind: 's' | 'b'): string {
  return kind + Array.from({ length: 20 }, () => randomInt(0, 36).toString(36)).join('')
}

/** A gateway in this process, over its real sockets. `isInformed: false`: the host has not said yet which boots exist. */
export async function startGatewayUnderTest(
  options: { behavior?: GuestBehavior; isInformed?: boolean } = {},
): Promise<GatewayUnderTest> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-gateway-'))
  const socketPath = path.join(directory, 'orders.sock')
  const servers = makeGatewayServers({ logger: makeLogger({ process: 'test', level: 'silent' }), clock: Date.now })
  await once(servers.orders.listen(socketPath), 'listening')
  await once(servers.requests.listen(0, '127.0.0.1'), 'listening')
  const { port } = servers.requests.address() as AddressInfo
  // All of 127/8 is this machine: each test has its own address on which its guest has its usual port.
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.6`
  const accessToken = randomBytes(32).toString('hex')
  const guest = makeGuest({ accessToken, behavior: options.behavior ?? ((_, response) => void response.end('ok')) })
  await once(guest.listen(guestPort, address), 'listening')
  const orders = makeContractApi(gatewayContract, (request) => send(socketPath, request))
  const events: GatewayEvent[] = []
  const ending = new AbortController()
  const opened = Promise.withResolvers<void>()
  const follow = async () => {
    for await (const event of orders.events(ending.signal)) {
      if (events.push(event) === 1) opened.resolve()
    }
  }
  follow().catch(() => undefined)
  await opened.promise
  if (options.isInformed !== false) await orders.replaceAdmissions({ boots: [], refusals: [] })
  return {
    url: `http://127.0.0.1:${port}`,
    orders,
    guest,
    guestAddress: { address, accessToken },
    events,
    admit: async () => {
      const boot = { sandboxId: newId('s'), bootId: newId('b') }
      await orders.admit({ ...boot, address, accessToken })
      return boot
    },
    close: (boot) => orders.close({ ...boot, reason: toWireError(bootEnded), refuses: false }),
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      for (const server of [guest, servers.orders, servers.requests]) {
        server.closeAllConnections()
        server.close()
      }
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** The reason with which {@link GatewayUnderTest.close} ends streams. */
export const bootEnded = guestRequestFailed({ reason: 'the boot has ended' })

function makeGuest(options: { accessToken: string; behavior: GuestBehavior }): Server {
  return createServer((request, response) => {
    if (request.headers[accessTokenHeader] === options.accessToken) return options.behavior(request, response)
    response.writeHead(401).end()
  })
}

async function send(
  socketPath: string,
  request: {
    method: string
    path: string
    headers: Record<string, string>
    body: unknown
    signal?: AbortSignal | undefined
  },
): Promise<Response> {
  const { method, headers, signal } = request
  const sent = httpRequest({ socketPath, method, path: request.path, headers, ...(signal && { signal }) })
  sent.end(request.body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  sent.on('error', () => undefined)
  const body = response.statusCode === 204 ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>)
  return new Response(body, { status: response.statusCode ?? 502 })
}
