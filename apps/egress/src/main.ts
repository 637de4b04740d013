import { existsSync, readFileSync } from 'node:fs'
import { egressSettings, endIfAskedForVersion, readSettings } from '@threadbox/config'
import { becomeUser, listenOnUnixSocket } from '@threadbox/daemon'
import { defineError } from '@threadbox/errors'
import {
  connectTo,
  makeDirectReach,
  makeEgressServers,
  makeNameResolver,
  makeProxyReach,
  type ReachName,
} from '@threadbox/sandbox-egress'
import { makeAuthority, makeBroker } from '@threadbox/secret-broker'
import { makeLogger } from '@threadbox/telemetry'
import { openAuthorityFiles } from './authority-files.ts'

const socketTaken = defineError<{ path: string }>({
  code: 'egress.socket-taken',
  kind: 'conflict',
  message: ({ path }) => `Another egress process is already running at ${path}.`,
  remedy: () => 'Stop it, or use another data directory.',
})

endIfAskedForVersion(import.meta.url)
const settings = readSettings(egressSettings, process.env)
const logger = makeLogger({ process: 'egress', level: settings.logLevel })

try {
  await main()
} catch (error) {
  logger.fatal({ err: error }, 'the egress process can’t start')
  process.exit(1)
}

/**
 * Connects sandboxes to the names that their policies allow, and inserts secrets into their requests. The host daemon
 * starts it as root, with only the capabilities for what comes before `becomeUser`, and it ends with the host daemon.
 */
async function main(): Promise<void> {
  const clock = Date.now
  const { egressDirectory, installation } = settings
  const authority = await makeAuthority(await openAuthorityFiles(egressDirectory, installation), { clock })
  const trusted = readTrusted()
  const { grants, orders } = makeEgressServers({
    reach: makeReach(),
    makeBroker: (ports) => makeBroker({ ...ports, authority, ...trusted, logger, clock }),
    logger,
    clock,
  })
  // The directory hands its group, the server’s, on to the socket.
  await listenOnUnixSocket(grants, { path: settings.egressSocket, mode: 0o660, taken: socketTaken })
  await listenOnUnixSocket(orders, { path: settings.egressOrdersSocket, mode: 0o600, taken: socketTaken })
  becomeUser({ userId: settings.egressUserId, groupId: settings.egressGroupId })
  logger.info({ socket: settings.egressSocket, installation: settings.installation }, 'egress process serves')
  process.stdin.resume().once('end', () => process.exit(0))
}

/** What hosts with secrets are checked against: what sandboxes trust too. */
function readTrusted(): { machineCertificates?: string; extraCertificates?: string } {
  const { certificateBundle, extraCertificates } = settings
  return {
    ...(existsSync(certificateBundle) && { machineCertificates: readFileSync(certificateBundle, 'utf8') }),
    ...(extraCertificates !== '' && { extraCertificates: readFileSync(extraCertificates, 'utf8') }),
  }
}

function makeReach(): ReachName {
  const { nameServer, sandboxProxy: url, sandboxNoProxy: except, proxyAddress: address } = settings
  const direct = makeDirectReach({ resolve: makeNameResolver({ nameServer }), connect: connectTo })
  if (url === '') return direct
  const isTls = url.startsWith('https:')
  const authorities = isTls ? readFileSync(settings.certificateBundle, 'utf8') : undefined
  return makeProxyReach({ url, address, except, authorities }, direct)
}
