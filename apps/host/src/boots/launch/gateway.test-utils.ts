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
  close(): Promise<void>
}

export async function openGateway(): Promise<OpenedGateway> {
  const directory = await mkdtemp(path.join(tmpdir(), 'threadbox-gateway-'))
  const ordersSocket = path.join(directory, 'orders.sock')
  const { requests, orders } = makeGatewayServers({
    logger: makeLogger({ process: 'test', level: 'silent' }),
    clock: Date.now,
  })
  await once(orders.listen(ordersSocket), 'listening')
  await once(requests.listen(0, '127.0.0.1'), 'listening')
  const closing = new AbortController()
  return {
    url: `http://127.0.0.1:${(requests.address() as AddressInfo).port}`,
    ordersSocket,
    client: makeGatewayClient({ socketPath: ordersSocket, signal: closing.signal }),
    close: async () => {
      closing.abort()
      for (const server of [requests, orders]) {
        server.closeAllConnections()
        server.close()
      }
      await rm(directory, { recursive: true, force: true })
    },
  }
}
