import { chmodSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { gatewaySettings, readSettings } from '@threadbox/config'
import { defineError, isThreadboxError } from '@threadbox/errors'
import { makeGatewayServers } from '@threadbox/sandbox-gateway'
import { makeLogger } from '@threadbox/telemetry'

const socketTaken = defineError<{ path: string }>({
  code: 'gateway.socket-taken',
  kind: 'conflict',
  message: ({ path }) => `Another gateway is already running at ${path}.`,
  remedy: () => 'Stop it, or use another data directory.',
})

/** The server’s group gets access through the directory, which hands its group on. */
const modes = { requests: 0o660, orders: 0o600 }

const settings = readSettings(gatewaySettings, process.env)
const logger = makeLogger({ process: 'gateway', level: settings.logLevel })

try {
  await main()
} catch (error) {
  logger.fatal({ err: error }, 'the gateway can’t start')
  const problem = isThreadboxError(error) ? `${error.message} ${error.remedy}` : String(error)
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

/** Parses every byte that sandboxes send, so that no process with more rights has to. Keeps nothing on disk. */
async function main(): Promise<void> {
  const { requests, orders } = makeGatewayServers({ logger, clock: Date.now })
  await listen(requests, { path: settings.gatewaySocket, mode: modes.requests })
  await listen(orders, { path: settings.gatewayOrdersSocket, mode: modes.orders })
  logger.info({ socket: settings.gatewaySocket, installation: settings.installation }, 'gateway serves')
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      for (const server of [requests, orders]) {
        server.close()
        server.closeAllConnections()
      }
      process.exit(0)
    })
  }
}

/** Listens on a unix socket. Replaces a file left by a dead gateway. */
async function listen(server: Server, { path, mode }: { path: string; mode: number }): Promise<void> {
  if (await answers(path)) throw socketTaken({ path })
  rmSync(path, { force: true })
  const previous = process.umask(0o177)
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    server.once('error', reject)
    server.listen(path, resolve)
    await promise
    server.off('error', reject)
  } finally {
    process.umask(previous)
  }
  chmodSync(path, mode)
}

async function answers(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(path)
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  return await promise.finally(() => socket.destroy())
}
