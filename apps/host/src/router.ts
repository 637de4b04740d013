import path from 'node:path'
import type { hostSettings, Setting } from '@threadbox/config'
import { makeAddressPool, parseNameServers, type SandboxNetwork } from '@threadbox/sandbox-network'
import type { Logger } from '@threadbox/telemetry'
import type { Kysely } from 'kysely'
import { proxiesOf } from './boots/launch/guest-environment.ts'
import { makeEgressClient } from './machine/network/egress-client.ts'
import { makeNameRelay } from './machine/network/name-relay.ts'
import { openNetwork } from './machine/network/open-network.ts'
import { keepInRouter, type RouterProcess, type ServingProcess } from './machine/programs/router-process.ts'
import { reachSocket } from './machine/programs/unix-requests.ts'
import { makeFactsStore } from './machine/state/facts.store.ts'
import { makeSandboxesStore } from './machine/state/sandboxes.store.ts'
import type { StateTables } from './machine/state/state.tables.ts'
import { makeVirtualNamesStore } from './machine/state/virtual-names.store.ts'

type Valued<Given> = { [Name in keyof Given]: Given[Name] extends Setting<infer Value> ? Value : never }
type HostSettings = Valued<typeof hostSettings>

/** The network of sandboxes, and the processes that serve it. */
export type Router = {
  network: SandboxNetwork
  pool: string
  gatewayOrdersSocket: string
  /** For the doctor. */
  processes: readonly ServingProcess[]
  /** Ends the processes. Sandboxes keep their network. */
  stop(): Promise<void>
}

/** Opens the router, and starts the processes in it before the rest of the daemon is prepared. */
export async function openRouter(options: {
  settings: HostSettings
  /** Where Node keeps what it compiled. */
  compileCache: string | undefined
  database: Kysely<StateTables>
  logger: Logger
  signal: AbortSignal
}): Promise<Router> {
  const { settings, database, logger, signal } = options
  const shared = sharedBy(options)
  const proxies = await proxiesOf(settings.sandboxProxy)
  const gatewayOrdersSocket = path.join(path.dirname(settings.gatewaySocket), 'gateway-orders.sock')
  const egressOrdersSocket = path.join(path.dirname(settings.egressSocket), 'egress-orders.sock')
  let egress: RouterProcess | undefined
  const relay = makeNameRelay({
    egress: makeEgressClient({ socketPath: egressOrdersSocket, signal }),
    sandboxes: makeSandboxesStore(database),
    names: makeVirtualNamesStore(database),
    replace: () => egress?.replace(),
    logger,
    clock: Date.now,
  })
  const { network, pool } = await openNetwork({
    installation: settings.installation,
    configuredPool: settings.networkPool,
    facts: makeFactsStore(database),
    logger,
    relay,
    firewall: {
      proxies,
      bytesPerSecond: settings.sandboxRate * 1024 * 1024,
      gatewayUserId: settings.gatewayUserId,
      egressUserId: settings.egressUserId,
    },
    nameServers: parseNameServers(settings.nameServers),
    namesEnvironment: { ...shared, ...idsOf('NAMES', [settings.namesUserId, settings.namesGroupId]) },
  })
  const namespacePath = await network.openRouter()
  const keep = (program: 'egress' | 'gateway', environment: Record<string, string>) =>
    keepInRouter({ program, namespacePath, environment: { ...shared, ...environment }, logger })
  const gateway = keep('gateway', {
    THREADBOX_GATEWAY_SOCKET: settings.gatewaySocket,
    THREADBOX_GATEWAY_ORDERS_SOCKET: gatewayOrdersSocket,
    ...idsOf('GATEWAY', [settings.gatewayUserId, settings.gatewayGroupId]),
  })
  egress = keep('egress', {
    THREADBOX_EGRESS_SOCKET: settings.egressSocket,
    THREADBOX_EGRESS_ORDERS_SOCKET: egressOrdersSocket,
    THREADBOX_EGRESS_DIRECTORY: path.join(settings.dataDirectory, 'egress'),
    THREADBOX_EGRESS_NAME_SERVER: makeAddressPool(pool).routerAddress,
    THREADBOX_SANDBOX_PROXY: settings.sandboxProxy,
    THREADBOX_SANDBOX_NO_PROXY: settings.sandboxNoProxy,
    THREADBOX_EGRESS_PROXY_ADDRESS: proxies[0]?.address ?? '',
    THREADBOX_CERTIFICATE_BUNDLE: settings.certificateBundle,
    THREADBOX_EXTRA_CERTIFICATES: settings.extraCertificates,
    ...idsOf('EGRESS', [settings.egressUserId, settings.egressGroupId]),
  })
  const kept = [gateway, egress, network]
  const serving: ServingProcess[] = [
    {
      name: 'gateway',
      userId: settings.gatewayUserId,
      pid: gateway.pid,
      respond: () => reachSocket(gatewayOrdersSocket),
    },
    { name: 'egress', userId: settings.egressUserId, pid: egress.pid, respond: () => reachSocket(egressOrdersSocket) },
    { name: 'names', userId: settings.namesUserId, ...network.names },
  ]
  void relay.follow(signal)
  return {
    network,
    pool,
    gatewayOrdersSocket,
    processes: serving,
    stop: async () => void (await Promise.allSettled(kept.map((each) => each.stop()))),
  }
}

/** What all of these processes get. */
function sharedBy(options: { settings: HostSettings; compileCache: string | undefined }): Record<string, string> {
  const { settings, compileCache } = options
  return {
    THREADBOX_INSTALLATION: settings.installation,
    THREADBOX_LOG_LEVEL: settings.logLevel,
    ...(compileCache === undefined ? {} : { NODE_COMPILE_CACHE: compileCache }),
  }
}

function idsOf(name: string, [userId, groupId]: readonly [userId: number, groupId: number]): Record<string, string> {
  return { [`THREADBOX_${name}_UID`]: String(userId), [`THREADBOX_${name}_GID`]: String(groupId) }
}
