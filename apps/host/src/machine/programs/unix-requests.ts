import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { SendRequest } from '@threadbox/protocol/gateway'

/** For the head of a response. `memory`: a guest saves gigabytes first. */
const timeoutsMs = { order: 30_000, memory: 900_000, unlimited: 900_000 }

/**
 * Sends requests of a contract to a process of this installation over its unix socket, until the signal aborts. A request that
 * gets no response throws what `unreachable` makes of the reason.
 */
export function sendOver(options: {
  socketPath: string
  signal: AbortSignal
  unreachable: (cause: unknown) => Error
  orderTimeoutMs?: number
}): SendRequest {
  const { socketPath, unreachable } = options
  const limitsMs = { ...timeoutsMs, order: options.orderTimeoutMs ?? timeoutsMs.order }
  const agent = new Agent({ keepAlive: true })
  options.signal.addEventListener('abort', () => agent.destroy(), { once: true })
  return async ({ method, path, headers, body, signal, timeout }) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = httpRequest({ socketPath, agent, method, path, headers, ...(signal && { signal }) })
    const timer = setTimeout(() => request.destroy(new Error('it did not respond')), limitsMs[timeout])
    request.once('response', resolve)
    request.on('error', reject)
    request.end(body)
    const response = await promise
      .catch((error: unknown) => {
        signal?.throwIfAborted()
        throw unreachable(error)
      })
      .finally(() => clearTimeout(timer))
    const { statusCode: status = 502 } = response
    const stream = status === 204 ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>)
    if (status === 204) response.resume()
    return new Response(stream, { status })
  }
}

/** Resolves when the process behind a unix socket has responded, whatever it says. */
export async function reachSocket(socketPath: string): Promise<void> {
  const request = httpRequest({ socketPath, path: '/', agent: false }).end()
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.destroy()
}
