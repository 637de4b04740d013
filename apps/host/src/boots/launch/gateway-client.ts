import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { waitAtMost } from '@threadbox/concurrency'
import { isErrorOf } from '@threadbox/errors'
import {
  type GatewayApi,
  gatewayAnswerUnknown,
  gatewayContract,
  gatewayUnreachable,
  makeContractApi,
  type SendRequest,
} from '@threadbox/protocol/gateway'

/** A gateway that was killed serves again within a second; after a machine’s start it can take longer. */
const unreachableTimeoutMs = 10_000
const retryMs = 50
/** For the head of a response. `memory`: a guest saves gigabytes first. */
const timeoutsMs = { order: 30_000, memory: 900_000, unlimited: 900_000 }

/** Calls whose effect is the same when they arrive twice: they are repeated while a gateway is starting. */
const repeatable = new Set<string>(
  (['greet', 'manifest', 'activity', 'reportDiskSpace'] as const).map((name) => gatewayContract[name].path),
)

/** Connects to the gateway’s socket for the host. Throws its errors, or `gateway.unreachable`. */
export function makeGatewayClient(options: { socketPath: string; signal: AbortSignal }): GatewayApi {
  const { socketPath, signal } = options
  const agent = new Agent({ keepAlive: true })
  signal.addEventListener('abort', () => agent.destroy(), { once: true })
  const sendOnce = senderOf({ socketPath, agent })
  const send: SendRequest = async (request) => {
    const until = performance.now() + unreachableTimeoutMs
    for (;;) {
      try {
        return await sendOnce(request)
      } catch (error) {
        const mayRepeat = repeatable.has(request.path) && isErrorOf(gatewayUnreachable, error)
        if (!mayRepeat || signal.aborted || performance.now() > until) throw error
      }
      await waitAtMost(retryMs, request.signal === undefined ? {} : { signal: request.signal })
      request.signal?.throwIfAborted()
    }
  }
  return makeContractApi(gatewayContract, send, gatewayAnswerUnknown)
}

function senderOf({ socketPath, agent }: { socketPath: string; agent: Agent }): SendRequest {
  return async ({ method, path, headers, body, signal, timeout }) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = httpRequest({ socketPath, agent, method, path, headers, ...(signal && { signal }) })
    const timer = setTimeout(() => request.destroy(new Error('it did not respond')), timeoutsMs[timeout])
    request.once('response', resolve)
    request.on('error', reject)
    request.end(body)
    const response = await promise
      .catch((error: unknown) => {
        signal?.throwIfAborted()
        throw gatewayUnreachable({}, { cause: error })
      })
      .finally(() => clearTimeout(timer))
    const { statusCode: status = 502 } = response
    const stream = status === 204 ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>)
    if (status === 204) response.resume()
    return new Response(stream, { status })
  }
}
