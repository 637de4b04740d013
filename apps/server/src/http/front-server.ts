import { createServer, type Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { PreviewFront } from '../previews/preview-front.ts'
import type { ApiEnv } from './api.ts'

/**
 * The one server that listens. The name under which a request comes decides whether it is for a preview or for the app:
 * neither has a way to the other.
 */
export function makeFrontServer({ app, previews }: { app: Hono<ApiEnv>; previews: PreviewFront }): Server {
  const toApp = getRequestListener(app.fetch)
  const options = {
    // An upload of many gigabytes over a slow line takes as long as it takes.
    requestTimeout: 0,
    // Nothing of the app is upgraded, so there such a wish is left alone, as HTTP has it.
    shouldUpgradeCallback: previews.takesUpgrade,
  }
  const server = createServer(options, (request, response) => {
    if (!previews.handle(request, response)) void toApp(request, response)
  })
  server.on('upgrade', (request, socket: Duplex, head: Buffer) => previews.handleUpgrade({ request, socket, head }))
  return server
}
