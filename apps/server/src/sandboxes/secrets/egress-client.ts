import { Readable } from 'node:stream'
import { defineError } from '@threadbox/errors'
import { type GrantsApi, grantsContract, makeContractApi, type SendRequest } from '@threadbox/protocol/egress'
import { Agent } from 'undici'

export const brokerUnreachable = defineError({
  code: 'secret.broker-unreachable',
  kind: 'unavailable',
  message: () => 'The process that inserts secrets can’t be reached.',
  remedy: () => 'It is tried again every second. If it stays like this, `threadbox doctor` says why.',
})

export const brokerAnswerUnknown = defineError<{ status: number }>({
  code: 'secret.broker-answer-unknown',
  kind: 'internal',
  message: ({ status }) => `The process that inserts secrets sent an unknown response (status ${status}).`,
  remedy: () => 'Restart threadbox so that all of its processes have the same version.',
})

/** An order waits for requests that use what it ends, and they end immediately. */
const orderTimeoutMs = 5_000

export type EgressClient = GrantsApi & { close(): Promise<void> }

/** Connects to the unix socket of the process that inserts secrets. */
export function makeEgressClient({ socketPath }: { socketPath: string }): EgressClient {
  // Its event stream can be silent for a while.
  const agent = new Agent({ connect: { socketPath }, headersTimeout: orderTimeoutMs, bodyTimeout: 0 })
  const send: SendRequest = async ({ method, path, headers, body, signal }) => {
    const response = await agent
      .request({
        origin: 'http://egress',
        method,
        path,
        headers,
        ...(typeof body === 'string' ? { body } : {}),
        ...(signal === undefined ? {} : { signal }),
      })
      .catch((cause: unknown) => {
        throw signal?.aborted === true ? cause : brokerUnreachable({}, { cause })
      })
    const isEmpty = response.statusCode === 204
    if (isEmpty) await response.body.dump()
    const stream = isEmpty ? null : (Readable.toWeb(response.body) as ReadableStream<Uint8Array>)
    return new Response(stream, { status: response.statusCode })
  }
  return {
    ...makeContractApi(grantsContract, send, brokerAnswerUnknown),
    close: () => agent.destroy(),
  }
}
