import { chmodSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import { gatewaySettings, readSettings } from '@threadbox/config'
import { defineError } from '@threadbox/errors'
import { makeGatewayServers } from '@threadbox/sandbox-gateway'
import { makeLogger } from '@threadbox/telemetry'

const socketTaken = defineError<{ path: string }>({
  code: 'gateway.socket-taken',
  kind: 'conflict',
  message: ({ path }) => `Another gateway is already running at ${path}.`,
  remedy: () => 'Stop it, or use another data directory.',
})

const settings = readSettings(gatewaySettings, process.env)
const logger = makeLogger({ process: 'gateway', level: settings.logLevel })

try {
  await main()
} catch (error) {
  logger.fatal({ err: error }, 'the gateway can’t start')
  process.exit(1)
}

/**
 * Parses every byte that sandboxes send, so that no process with more rights has to. The host daemon starts it as root,
 * with only the capabilities for what comes before `becomeOwnUser`, and it ends with the host daemon.
 */
async function main(): Promise<void> {
  const { requests, orders } = makeGatewayServers({ logger, clock: Date.now })
  // The directory hands its group, the server’s, on to the socket.
  await listen(requests, { path: settings.gatewaySocket, mode: 0o660 })
  await listen(orders, { path: settings.gatewayOrdersSocket, mode: 0o600 })
  becomeOwnUser()
  logger.info({ socket: settings.gatewaySocket, installation: settings.installation }, 'gateway serves')
  process.stdin.resume().once('end', () => process.exit(0))
}

/** After this it has no right: this file and all that it imports are loaded, and nothing was read from a socket yet. */
function becomeOwnUser(): void {
  if (process.getuid?.() !== 0) return
  process.setgroups?.([])
  process.setgid?.(settings.gatewayGroupId)
  process.setuid?.(settings.gatewayUserId)
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
