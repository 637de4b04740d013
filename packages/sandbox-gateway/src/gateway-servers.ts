import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { lasting, makeOrdersServer } from '@threadbox/daemon'
import { httpStatusOf, toWireError } from '@threadbox/errors'
import { gatewayContract, serveContract } from '@threadbox/protocol/gateway'
import type { Logger } from '@threadbox/telemetry'
import { makeAdmittedBoots } from './admitted-boots.ts'
import { pathUnknown } from './gateway.errors.ts'
import { type Gateway, makeGateway } from './gateway.ts'
import { makeGatewayEvents } from './gateway-events.ts'
import { makeGatewayOrders } from './gateway-orders.ts'

export type GatewayServers = {
  /** For the server: requests to what runs in sandboxes. */
  requests: Server
  /** For the host daemon: which sandboxes can be reached, and its own requests to guests. */
  orders: Server
}

/**
 * With Node's 64 KiB, a response stops at every piece that the server did not take immediately: four fifths of the
 * rate.
 */
const answerBufferBytes = 512 * 1024

/** Both servers of one gateway, which share its boots. Neither listens yet. */
export function makeGatewayServers(options: { logger: Logger; clock: () => number }): GatewayServers {
  const { logger, clock } = options
  const events = makeGatewayEvents()
  const boots = makeAdmittedBoots({ onWanted: (boot) => events.emit({ type: 'wanted', ...boot }) })
  const gateway = makeGateway({ boots, onUse: events.emit, logger, clock })
  const serve = serveContract(gatewayContract, makeGatewayOrders({ boots, events }))
  return {
    requests: lasting(makeRequestsServer(gateway)),
    orders: makeOrdersServer({ serve, pathUnknown, logger }),
  }
}

function makeRequestsServer(gateway: Gateway): Server {
  const server = createServer({ highWaterMark: answerBufferBytes }, (request, response) => {
    if (!gateway.handle(request, response)) refuseUnknown(request, response)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!gateway.handleUpgrade({ request, socket, head })) socket.destroy()
  })
  return server
}

function refuseUnknown(request: IncomingMessage, response: ServerResponse): void {
  const error = pathUnknown({ path: request.url ?? '' })
  response.writeHead(httpStatusOf(error), { 'content-type': 'application/json' })
  response.end(JSON.stringify(toWireError(error)))
  request.resume()
}
