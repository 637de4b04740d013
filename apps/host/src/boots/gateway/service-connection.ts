import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { accessTokenHeader, guestPaths, guestPort, tunnelProtocol } from '@threadbox/protocol/guest'
import { connectForRelay } from '@threadbox/protocol/relay'
import { type ActiveBoot, trackConnection } from '../launch/active-boots.ts'

/** A sandbox that does not take a connection within this time on a machine-local link is not going to. */
export const connectTimeoutMs = 10_000

/**
 * A connection to a service of a sandbox: at the sandbox's address, and when nobody listens there, at its own loopback
 * through the guest. Ends with the boot. Rejects with the error of the first way when neither leads anywhere.
 */
export async function connectToService(boot: ActiveBoot, port: number): Promise<Socket> {
  try {
    return await connectDirectly(boot, port)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ECONNREFUSED') throw error
    const inside = await connectInside(boot, port)
    if (inside === undefined) throw error
    return inside
  }
}

async function connectDirectly(boot: ActiveBoot, port: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  // A service may answer after its client has said everything.
  const socket = connectForRelay({ host: boot.address, port, allowHalfOpen: true, noDelay: true, signal: boot.ended })
  trackConnection(boot, socket)
  const timer = setTimeout(() => socket.destroy(new Error('it took no connection')), connectTimeoutMs)
  socket.once('connect', () => resolve(socket))
  socket.once('error', reject)
  return await promise.finally(() => clearTimeout(timer))
}

/** Undefined when nobody listens there either; a guest that is older than tunnels says the same. */
async function connectInside(boot: ActiveBoot, port: number): Promise<Socket | undefined> {
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
