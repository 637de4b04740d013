import { request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeReadableStream } from 'node:stream/web'
import { type HostApi, hostContract, makeHostApi, type SendHostRequest } from '@threadbox/protocol/host'

/** Connects to a host that listens on a Unix socket or at an address. */
export function connectHostApi(at: { socketPath: string } | { url: string }): HostApi {
  return makeHostApi(hostContract, senderTo(at))
}

function senderTo(at: { socketPath: string } | { url: string }): SendHostRequest {
  const address = 'url' in at ? { host: new URL(at.url).hostname, port: new URL(at.url).port } : at
  return async ({ method, path, headers, body, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
    const request = httpRequest({ ...address, method, path, headers, agent: false, ...(signal && { signal }) })
    request.once('response', resolve)
    // After the response has started, its stream fails instead.
    request.on('error', reject)
    if (body instanceof ReadableStream) Readable.fromWeb(body as NodeReadableStream).pipe(request)
    else request.end(body)
    const response = await promise
    const isEmpty = response.statusCode === 204
    if (isEmpty) response.resume()
    const stream = isEmpty ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>)
    const answered = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
    return new Response(stream, { status: response.statusCode ?? 500, headers: answered })
  }
}
