import { request as startRequest } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/** Passes a request of any version to a server without TLS, and its response back. */
export function passTo(
  target: URL,
  { request, response }: { request: Http2ServerRequest; response: Http2ServerResponse },
): void {
  const headers = Object.entries(request.headers).filter(([name]) => !name.startsWith(':') && name !== 'host')
  const passed = startRequest(target, { method: request.method, headers: Object.fromEntries(headers) })
  passed.on('error', () => response.stream?.destroy())
  passed.once('response', (incoming) => {
    const { connection: _, 'transfer-encoding': _encoding, 'keep-alive': _alive, ...kept } = incoming.headers
    response.writeHead(incoming.statusCode ?? 500, kept)
    incoming.pipe(response)
  })
  request.pipe(passed)
}
