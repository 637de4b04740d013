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
import { sendOver } from '../../machine/programs/unix-requests.ts'

/** A gateway that was killed serves again within a second; after a machine’s start it can take longer. */
const unreachableTimeoutMs = 10_000
const retryMs = 50

/** Calls whose effect is the same when they arrive twice: they are repeated while a gateway is starting. */
const repeatable = new Set<string>(
  (['greet', 'manifest', 'activity', 'reportDiskSpace'] as const).map((name) => gatewayContract[name].path),
)

/** Connects to the gateway’s socket for the host. Throws its errors, or `gateway.unreachable`. */
export function makeGatewayClient(options: { socketPath: string; signal: AbortSignal }): GatewayApi {
  const { socketPath, signal } = options
  const unreachable = (cause: unknown) => gatewayUnreachable({}, { cause })
  const sendOnce = sendOver({ socketPath, signal, unreachable })
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
