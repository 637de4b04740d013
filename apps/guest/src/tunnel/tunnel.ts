import type { IncomingMessage, Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { accessTokenHeader, guestPaths, guestPorts, tunnelProtocol } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import type { GuestState } from '../ground/guest-state.ts'
import { headerOf } from '../ground/server.ts'

/** Where programs listen that say `localhost`: the program decides which of the two. */
const loopbackAddresses = ['127.0.0.1', '::1']
/** A browser opens six connections to a page; this is enough for many pages, and bounds a loop. */
const maxTunnels = 512
const pattern = new RegExp(`^${guestPaths.tunnel(0).replace('0', '(\\d{1,5})')}$`)

/**
 * Lets the host's gateway reach services that listen only on the sandbox's loopback. A tunnel is one connection: it
 * ends with either side, and with the gateway's connection, which ends with the boot.
 */
export function answerTunnels(server: Server, options: { state: GuestState; logger: Logger }): void {
  const open = new Set<Socket>()
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const port = portOf(request)
    if (!mayPass(request, options.state)) return refuse(socket, '401 Unauthorized')
    if (port === undefined) return refuse(socket, '404 Not Found')
    if (open.size >= maxTunnels) return refuse(socket, '503 Service Unavailable')
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    void dig({ socket, head, port }).catch((error: unknown) =>
      options.logger.debug({ err: error, port }, 'tunnel ended'),
    )
  })
}

async function dig({ socket, head, port }: { socket: Socket; head: Buffer; port: number }): Promise<void> {
  const service = await connectLoopback(port)
  if (service === undefined) return refuse(socket, '502 Bad Gateway')
  if (socket.destroyed) return void service.destroy()
  service.on('error', () => service.destroy())
  socket.setNoDelay(true)
  service.setNoDelay(true)
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${tunnelProtocol}\r\n\r\n`)
  if (head.length > 0) service.write(head)
  await Promise.all([pipeline(socket, service), pipeline(service, socket)])
}

async function connectLoopback(port: number): Promise<Socket | undefined> {
  for (const host of loopbackAddresses) {
    const { promise, resolve } = Promise.withResolvers<Socket | undefined>()
    const socket = connect({ host, port, allowHalfOpen: true })
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
    const connected = await promise
    if (connected !== undefined) return connected
  }
  return undefined
}

function portOf(request: IncomingMessage): number | undefined {
  if (request.method !== 'GET' || headerOf(request, 'upgrade') !== tunnelProtocol) return undefined
  const port = Number(pattern.exec(request.url ?? '')?.[1] ?? 0)
  // Excludes the guest's own ports: they are reached directly, and one that listens on loopback only is for the sandbox
  // only.
  return port >= 1 && port <= 65_535 && !guestPorts.includes(port) ? port : undefined
}

function mayPass(request: IncomingMessage, state: GuestState): boolean {
  try {
    state.checkToken(headerOf(request, accessTokenHeader))
    return true
  } catch {
    return false
  }
}

function refuse(socket: Socket, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
}
