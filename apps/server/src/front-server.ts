import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { ApiEnv } from './platform/http/api.ts'
import type { SocketServer } from './platform/http/socket-server.ts'
import type { PreviewServer } from './sandboxes/previews/preview-server.ts'

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
    // Only terminals and event streams of the app are upgraded; other upgrade requests are ignored, as HTTP specifies.
    shouldUpgradeCallback: (request: IncomingMessage) =>
      previews.takesUpgrade(request) || sockets.takesUpgrade(request),
  }
  const server = createServer(options, (request, response) => {
    if (!previews.handle(request, response)) void toApp(request, response)
  })
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => {
    const front = previews.takesUpgrade(request) ? previews : sockets
    front.handleUpgrade({ request, socket, head })
  })
  return server
}
