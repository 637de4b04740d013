import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { ApiEnv } from './platform/http/api.ts'
import type { SocketFront } from './platform/http/socket-front.ts'
import type { PreviewFront } from './sandboxes/previews/preview-front.ts'

/**
 * The one server that listens. The name under which a request comes decides whether it is for a preview or for the app:
 * neither has a way to the other.
 */
export function makeFrontServer(parts: { app: Hono<ApiEnv>; previews: PreviewFront; sockets: SocketFront }): Server {
  const { app, previews, sockets } = parts
  const toApp = getRequestListener(app.fetch)
  const options = {
    // What waits of a large answer of a preview; with Node's 64 KiB a download stops at every piece.
    highWaterMark: 512 * 1024,
    // An upload of many gigabytes over a slow line takes as long as it takes.
    requestTimeout: 0,
    // Of the app only terminals and event streams are upgraded; elsewhere such a wish is left alone, as HTTP has it.
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
