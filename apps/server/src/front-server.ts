import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { ApiEnv } from './platform/http/api.ts'
import { limitLargeHeaders, maxHeaderBytes } from './platform/http/large-headers.ts'
import type { SocketServer } from './platform/http/socket-server.ts'
import type { PreviewServer } from './sandboxes/previews/preview-server.ts'

const tooMany =
  'Too many requests with very large headers are open. Clear the cookies of this site, or try again later.'
const tooManyHeaders = { 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1', connection: 'close' }

/**
 * The only server that listens. The name of a request decides whether it goes to a preview or to the app: neither can
 * reach the other.
 */
export function makeFrontServer(parts: { app: Hono<ApiEnv>; previews: PreviewServer; sockets: SocketServer }): Server {
  const { app, previews, sockets } = parts
  const toApp = getRequestListener(app.fetch)
  const options = {
    // Buffer for large responses of previews; with Node's 64 KiB a download stalls at every chunk.
    highWaterMark: 512 * 1024,
    // An upload of many gigabytes over a slow line has no time limit.
    requestTimeout: 0,
    // A page of a preview can plant so many cookies that browsers send more than Node’s 16 KiB.
    maxHeaderSize: maxHeaderBytes,
    // Only terminals and event streams of the app are upgraded; other upgrade requests are ignored, as HTTP specifies.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      previews.takesUpgrade(request) || sockets.takesUpgrade(request),
  }
  const server = createServer(options)
  const largeHeaders = limitLargeHeaders(server)
  server.on('request', (request, response) => {
    if (!largeHeaders.accepts(request)) {
      response.writeHead(503, { ...tooManyHeaders, 'content-length': tooMany.length }).end(tooMany)
      return
    }
    if (!previews.handle(request, response)) void toApp(request, response)
  })
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    if (!largeHeaders.accepts(request)) {
      socket.end(`HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\r\n`)
      return
    }
    const front = previews.takesUpgrade(request) ? previews : sockets
    front.handleUpgrade({ request, socket, head })
  })
  return server
}
