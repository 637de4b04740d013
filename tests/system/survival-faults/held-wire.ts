import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'

/** The wire between a server and its host daemon, on which single requests can be delayed or lost. */
export type HeldWire = AsyncDisposable & {
  socketPath: string
  /** Delays requests to matching paths from now on. */
  hold(path: RegExp): void
  /** Resolves when a request waits. */
  held(): Promise<void>
  /** Delayed requests continue, and no further ones are delayed. */
  release(): void
  /** Drops responses to requests to matching paths; undefined: drops none. */
  lose(path: RegExp | undefined): void
}

export async function startHeldWire(options: { socketPath: string; hostSocketPath: string }): Promise<HeldWire> {
  let holding: RegExp | undefined
  let losing: RegExp | undefined
  let isHeld = Promise.withResolvers<void>()
  let released = Promise.withResolvers<void>()
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    if (holding?.test(request.url ?? '')) {
      isHeld.resolve()
      await released.promise
    }
    if (losing?.test(request.url ?? '')) return void response.destroy()
    const { url, method, headers } = request
    const upstream = httpRequest({ socketPath: options.hostSocketPath, path: url, method, headers, agent: false })
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
  const server = createServer((request, response) => void pass(request, response))
  server.requestTimeout = 0
  server.listen(options.socketPath)
  await once(server, 'listening')
  return {
    socketPath: options.socketPath,
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
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
