import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Socket } from 'node:net'
import { isWithoutProxy } from './no-proxy.logic.ts'
import type { ReachName } from './reach-name.ts'

export type OutboundProxy = {
  /** Such as `http://user:password@192.0.2.1:3128`. */
  url: string
  /** Where it is. Empty: its name is an address. */
  address: string
  /** Comma-separated names that are reached without it. */
  except: string
  /** Authorities (PEM) for a proxy that speaks TLS. */
  authorities?: string | undefined
}

/** How long the proxy can take to connect to a name: its own attempts included. */
const connectMs = 20_000

/**
 * Connects to names through the proxy that this machine has to use, which resolves them: it alone decides which
 * addresses they can have. Names that are excepted, and those in private networks, are reached with `direct`.
 */
export function makeProxyReach(proxy: OutboundProxy, direct: ReachName): ReachName {
  return async (to) => {
    const { name, port, ranges, signal } = to
    if (ranges.length > 0 || isWithoutProxy(name, proxy.except)) return await direct(to)
    const either = AbortSignal.any([signal, AbortSignal.timeout(connectMs)])
    const socket = await tunnel(proxy, { target: `${name}:${port}`, signal: either }).catch(() => undefined)
    return socket === undefined ? { refused: 'unreachable' } : { socket }
  }
}

async function tunnel(
  { url, address, authorities }: OutboundProxy,
  { target, signal }: { target: string; signal: AbortSignal },
): Promise<Socket> {
  const { protocol, hostname, port, username, password } = new URL(url)
  const send = protocol === 'https:' ? requestHttps : requestHttp
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  const options = {
    host: address === '' ? hostname : address,
    ...(port === '' ? {} : { port: Number(port) }),
    servername: hostname,
    ...(authorities === undefined ? {} : { ca: authorities }),
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(username === '' ? {} : { 'proxy-authorization': authorization }) },
    agent: false,
    allowHalfOpen: true,
    noDelay: true,
  } as const
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const request = send(options)
  const abort = () => void request.destroy(new Error('the proxy took too long'))
  request.once('error', reject)
  // Any response but that to CONNECT is a refusal.
  request.once('response', (response) => abortWith(response.statusCode))
  const abortWith = (status: number | undefined) => void request.destroy(new Error(`the proxy responded ${status}`))
  request.once('connect', (response, socket: Socket, head: Buffer) => {
    if (response.statusCode !== 200) {
      socket.destroy()
      return reject(new Error(`the proxy responded ${response.statusCode}`))
    }
    if (head.length > 0) socket.unshift(head)
    resolve(socket)
  })
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  request.end()
  return await promise.finally(() => signal.removeEventListener('abort', abort))
}
