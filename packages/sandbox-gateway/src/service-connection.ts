import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { accessTokenHeader, guestPaths, guestPort, tunnelProtocol } from '@threadbox/protocol/guest'
import { connectForRelay } from '@threadbox/protocol/relay'
import { type OpenBoot, trackConnection } from './admitted-boots.ts'

/** A sandbox that does not accept a connection within this time on a machine-local link will not. */
export const connectTimeoutMs = 10_000

/**
 * Connects to a service of a sandbox: at the sandbox's address, and without a listener there, at its own loopback
 * through the guest. Ends with the boot. If both ways fail, rejects with the error of the first.
 */
export async function connectToService(boot: OpenBoot, port: number): Promise<Socket> {
  try {
    return await connectDirectly(boot, port)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ECONNREFUSED') throw error
    const inside = await connectInside(boot, port)
    if (inside === undefined) throw error
    return inside
  }
}

async function connectDirectly(boot: OpenBoot, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  // A service can respond after its client has sent everything.
  const socket = connectForRelay({ host: boot.address, port, allowHalfOpen: true, noDelay: true, signal: boot.ended })
  trackConnection(boot, socket)
  const timer = setTimeout(() => socket.destroy(new Error('it took no connection')), connectTimeoutMs)
  socket.once('connect', () => resolve(socket))
  socket.once('error', reject)
  return await promise.finally(() => clearTimeout(timer))
}

/** Returns undefined without a listener there either; a guest older than tunnels behaves the same. */
async function connectInside(boot: OpenBoot, port: number): Promise<Socket | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket | undefined>()
  const request = httpRequest({
    host: boot.address,
    port: guestPort,
    path: guestPaths.tunnel(port),
    headers: { connection: 'Upgrade', upgrade: tunnelProtocol, [accessTokenHeader]: boot.accessToken },
    createConnection: () => connectForRelay({ host: boot.address, port: guestPort, timeout: connectTimeoutMs }),
    timeout: connectTimeoutMs,
    signal: boot.ended,
  })
  request.once('socket', (socket) => trackConnection(boot, socket))
  request.once('upgrade', (_answer, socket, head) => {
    socket.setNoDelay(true)
    socket.setTimeout(0)
    if (head.length > 0) socket.unshift(head)
    resolve(socket)
  })
  request.once('response', (answer) => {
    answer.destroy()
    resolve(undefined)
  })
  request.once('timeout', () => request.destroy(new Error('the guest took no connection')))
  request.once('error', reject)
  request.end()
  return await promise
}
