import { endIfAskedForVersion, gatewaySettings, readSettings } from '@threadbox/config'
import { becomeUser, listenOnUnixSocket } from '@threadbox/daemon'
import { defineError } from '@threadbox/errors'
import { makeGatewayServers } from '@threadbox/sandbox-gateway'
import { makeLogger } from '@threadbox/telemetry'

const socketTaken = defineError<{ path: string }>({
  code: 'gateway.socket-taken',
  kind: 'conflict',
  message: ({ path }) => `Another gateway is already running at ${path}.`,
  remedy: () => 'Stop it, or use another data directory.',
})

endIfAskedForVersion(import.meta.url)
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
 * with only the capabilities for what comes before `becomeUser`, and it ends with the host daemon.
 */
async function main(): Promise<void> {
  const { requests, orders } = makeGatewayServers({ logger, clock: Date.now })
  // The directory hands its group, the server’s, on to the socket.
  await listenOnUnixSocket(requests, { path: settings.gatewaySocket, mode: 0o660, taken: socketTaken })
  await listenOnUnixSocket(orders, { path: settings.gatewayOrdersSocket, mode: 0o600, taken: socketTaken })
  becomeUser({ userId: settings.gatewayUserId, groupId: settings.gatewayGroupId })
  logger.info({ socket: settings.gatewaySocket, installation: settings.installation }, 'gateway serves')
  process.stdin.resume().once('end', () => process.exit(0))
}
