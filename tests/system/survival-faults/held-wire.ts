import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TestHost } from '@threadbox/testkit'

/** The wires between a server and its host daemon and gateway, on which single requests can be delayed or lost. */
export type HeldWire = AsyncDisposable & {
  /** The server’s settings. */
  environment: Record<string, string>
  /** Delays requests to matching paths from now on. */
  hold(path: RegExp): void
  /** Resolves when a request waits. */
  held(): Promise<void>
  /** Delayed requests continue, and no further ones are delayed. */
  release(): void
  /** Drops responses to requests to matching paths; undefined: drops none. */
  lose(path: RegExp | undefined): void
}

export async function startHeldWire(options: {
  /** The beginning of the paths of its sockets. */
  socketPath: string
  host: Pick<TestHost, 'socketPath' | 'gatewaySocketPath'>
}): Promise<HeldWire> {
  let holding: RegExp | undefined
  let losing: RegExp | undefined
  let isHeld = Promise.withResolvers<void>()
  let released = Promise.withResolvers<void>()
  const pass = async (socketPath: string, request: IncomingMessage, response: ServerResponse) => {
    if (holding?.test(request.url ?? '')) {
      isHeld.resolve()
      await released.promise
    }
    if (losing?.test(request.url ?? '')) return void response.destroy()
    const { url, method, headers } = request
    const upstream = httpRequest({ socketPath, path: url, method, headers, agent: false })
    upstream.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    upstream.on('error', () => response.destroy())
    response.on('close', () => upstream.destroy())
    request.pipe(upstream)
  }
  const listen = async (name: string, target: string) => {
    const server = createServer((request, response) => void pass(target, request, response))
    server.requestTimeout = 0
    server.listen(`${options.socketPath}-${name}`)
    await once(server, 'listening')
    return server
  }
  const servers = [
    await listen('host', options.host.socketPath),
    await listen('gateway', options.host.gatewaySocketPath),
  ]
  return {
    environment: {
      THREADBOX_HOST_SOCKET: `${options.socketPath}-host`,
      THREADBOX_GATEWAY_SOCKET: `${options.socketPath}-gateway`,
    },
    hold: (path) => {
      holding = path
      isHeld = Promise.withResolvers()
      released = Promise.withResolvers()
    },
    held: () => isHeld.promise,
    release: () => {
      holding = undefined
      released.resolve()
    },
    lose: (path) => {
      losing = path
    },
    [Symbol.asyncDispose]: async () => {
      released.resolve()
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}
