import { Agent as HttpAgent } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import type { Transport } from '@connectrpc/connect'
import { createConnectTransport } from '@connectrpc/connect-node'
import {
  bootHeader,
  gatewayPaths,
  type HostApi,
  type HostRequest,
  hostContract,
  makeHostApi,
  type SendHostRequest,
} from '@threadbox/protocol/host'
import { Agent, type Dispatcher, errors } from 'undici'
import { guestMessageLimits, withBoundedErrors } from './guest-transport.ts'
import { guestNotResponding, hostUnreachable } from './host.errors.ts'

const timeoutsMs: Record<HostRequest['timeout'], number> = { order: 120_000, memory: 900_000, unlimited: 0 }

type Boot = { sandboxId: string; bootId: string }

/** Every call of the host, and requests to the programs in its sandboxes. */
export type HostClient = HostApi & {
  /** Sends any request through the gateway to the guest of one boot. */
  guest(target: Boot, request: GuestRequest): Promise<Dispatcher.ResponseData>
  /**
   * The guest's RPC services, over the same gateway. A message above the limit is `guest.response-too-large`; the limit
   * is `guestMessageLimits.usual` unless another is given.
   */
  transport(target: Boot, limitBytes?: number): Transport
  close(): Promise<void>
}

export type GuestRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  query?: Record<string, string>
  headers?: Record<string, string>
  body?: Dispatcher.DispatchOptions['body']
  signal?: AbortSignal | undefined
}

/** Connects to the Unix sockets of the host daemon and the gateway. Their errors are thrown unchanged. */
export function makeHostClient(options: {
  socketPath: string
  gatewaySocketPath: string
  /** For the head of a guest’s response, and for the response of a call that has only one. */
  guestTimeoutMs?: number
}): HostClient {
  const host = makeDispatcher(options.socketPath)
  const guestTimeoutMs = options.guestTimeoutMs ?? timeoutsMs.order
  const gateway = makeDispatcher(options.gatewaySocketPath)
  const httpAgent = new HttpAgent({ keepAlive: true })
  return {
    ...makeHostApi(hostContract, senderOf(requesterOf(host))),
    guest: (target, { method, path, query = {}, headers, body, signal }) =>
      requesterOf(gateway)({
        headersTimeout: guestTimeoutMs,
        method,
        path: gatewayPaths.guest(target.sandboxId) + path,
        query,
        headers: { ...headers, [bootHeader]: target.bootId },
        ...(body !== undefined && { body }),
        ...(signal !== undefined && { signal }),
      }).catch((error: unknown) => {
        // The gateway itself responds or isn’t there: only a guest takes so long.
        const isLate = error instanceof Error && error.cause instanceof errors.HeadersTimeoutError
        throw isLate ? guestNotResponding({ seconds: Math.ceil(guestTimeoutMs / 1000) }, { cause: error }) : error
      }),
    transport: (target, limitBytes = guestMessageLimits.usual) =>
      withBoundedErrors(
        createConnectTransport({
          baseUrl: `http://host${gatewayPaths.guest(target.sandboxId)}`,
          httpVersion: '1.1',
          nodeOptions: { socketPath: options.gatewaySocketPath, agent: httpAgent },
          readMaxBytes: limitBytes,
          acceptCompression: [],
          interceptors: [
            (next) => (call) => {
              call.header.set(bootHeader, target.bootId)
              return next(call)
            },
          ],
        }),
        { limitBytes, ...(options.guestTimeoutMs !== undefined && { timeoutMs: options.guestTimeoutMs }) },
      ),
    close: async () => {
      httpAgent.destroy()
      await Promise.all([host.destroy(), gateway.destroy()])
    },
  }
}

function makeDispatcher(socketPath: string): Agent {
  return new Agent({
    connect: { socketPath },
    headersTimeout: timeoutsMs.order,
    // Bodies are downloads and event streams, which can pause for any time.
    bodyTimeout: 0,
  })
}

type Requester = (wanted: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>

function requesterOf(dispatcher: Agent): Requester {
  return async (wanted) =>
    await dispatcher.request({ ...wanted, origin: 'http://host' }).catch((error: unknown) => {
      if ((wanted.signal as AbortSignal | undefined)?.aborted) throw error
      throw hostUnreachable({}, { cause: error })
    })
}

function senderOf(request: Requester): SendHostRequest {
  return async ({ method, path, headers, body, timeout, signal }) => {
    const {
      statusCode,
      headers: answered,
      body: bytes,
    } = await request({
      method,
      path,
      headers,
      headersTimeout: timeoutsMs[timeout],
      ...(body !== undefined && { body: body instanceof ReadableStream ? readableOf(body) : body }),
      ...(signal !== undefined && { signal }),
    })
    const isEmpty = statusCode === 204
    if (isEmpty) await bytes.dump()
    const stream = isEmpty ? null : (Readable.toWeb(bytes) as ReadableStream<Uint8Array>)
    return new Response(stream, { status: statusCode, headers: headersOf(answered) })
  }
}

function readableOf(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as NodeReadableStream<Uint8Array>)
}

function headersOf(answered: Dispatcher.ResponseData['headers']): [string, string][] {
  return Object.entries(answered).map(([name, value]) => [name, String(value)])
}
