import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { GatewayApi } from '@threadbox/protocol/gateway'
import { makeGatewayServers } from '@threadbox/sandbox-gateway'
import { makeLogger } from '@threadbox/telemetry'
import { makeGatewayClient } from './gateway-client.ts'

/** A real gateway in this process, over its real sockets. */
export type OpenedGateway = {
  /** Where the server sends requests to sandboxes. */
  url: string
  ordersSocket: string
  client: GatewayApi
  /** Another gateway serves at the same addresses, and knows nothing. */
  restart(): Promise<void>
  close(): Promise<void>
}

export async function openGateway(): Promise<OpenedGateway> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-gateway-'))
  const ordersSocket = path.join(directory, 'orders.sock')
  const open = async (port: number) => {
    const { requests, orders } = makeGatewayServers({
      logger: makeLogger({ process: 'test', level: 'silent' }),
      clock: Date.now,
    })
    await once(orders.listen(ordersSocket), 'listening')
    await once(requests.listen(port, '127.0.0.1'), 'listening')
    return [requests, orders] as const
  }
  let servers = await open(0)
  const { port } = servers[0].address() as AddressInfo
  const stop = async () => {
    const closed = servers.map((server) => once(server, 'close'))
    for (const server of servers) {
      server.close()
      server.closeAllConnections()
    }
    await Promise.all(closed)
  }
  const closing = new AbortController()
  return {
    url: `http://127.0.0.1:${port}`,
    ordersSocket,
    client: makeGatewayClient({ socketPath: ordersSocket, signal: closing.signal }),
    restart: async () => {
      await stop()
      servers = await open(port)
    },
    close: async () => {
      closing.abort()
      await stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
