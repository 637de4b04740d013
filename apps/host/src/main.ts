import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import path from 'node:path'
import { hostSettings, readSettings } from '@threadbox/config'
import { makeBtrfsDiskStore, poolDevices } from '@threadbox/disk-store'
import { isThreadboxError } from '@threadbox/errors'
import { makeGvisorDriver } from '@threadbox/gvisor-driver'
import { makeLogger } from '@threadbox/telemetry'
import { keepGateway } from './boots/gateway/gateway-process.ts'
import { guestEnvironmentOf, proxiesOf } from './boots/launch/guest-environment.ts'
import { makeHost } from './host.ts'
import { openNetwork } from './machine/network/open-network.ts'
import { readMemory } from './machine/programs/machine-memory.ts'
import { makeFactsStore } from './machine/state/facts.store.ts'
import { openStateDatabase } from './machine/state/state-database.ts'
import { listenOnAddress, listenOnSocket } from './server.ts'

const settings = readSettings(hostSettings, process.env)
const logger = makeLogger({ process: 'host', level: settings.logLevel })
const closing = new AbortController()
const gatewayOrdersSocket = path.join(path.dirname(settings.gatewaySocket), 'gateway-orders.sock')
/** Measured: a boot takes 0.2 s; 4 s with every core busy and several at the same time. */
const readyTimeoutMs = 30_000

try {
  await main()
} catch (error) {
  logger.fatal({ err: error }, 'the host daemon can’t start')
  const problem = isThreadboxError(error) ? `${error.message} ${error.remedy}` : String(error)
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

async function main() {
  const { installation, dataDirectory } = settings
  const hostDirectory = path.join(dataDirectory, 'host')
  mkdirSync(path.join(hostDirectory, 'files'), { recursive: true, mode: 0o755 })
  mkdirSync(path.dirname(settings.hostSocket), { recursive: true })
  const diskDirectory = settings.diskDirectory || path.join(dataDirectory, 'disks')
  const database = openStateDatabase(path.join(hostDirectory, 'state.sqlite'))
  const { network, pool } = await openNetwork({
    installation,
    configuredPool: settings.networkPool,
    facts: makeFactsStore(database),
    logger,
    firewall: {
      proxies: await proxiesOf(settings.sandboxProxy),
      bytesPerSecond: settings.sandboxRate * 1024 * 1024,
      gatewayUserId: settings.gatewayUserId,
    },
    namesEnvironment: namesEnvironment(),
  })
  const gateway = keepGateway({ namespacePath: await network.openRouter(), environment: gatewayEnvironment(), logger })
  const host = await makeHost({
    database,
    network,
    networkPool: pool,
    disks: await makeBtrfsDiskStore({
      installation,
      directory: diskDirectory,
      poolSizeBytes: settings.poolBytes,
      keepFreeBytes: settings.keepFreeBytes,
      reserves: { imageBytes: settings.imageReserveBytes, memoryImageBytes: settings.memoryImageReserveBytes },
      logger,
    }),
    driver: await makeGvisorDriver({
      installation,
      runscPath: settings.runscPath,
      stateDirectory: path.join(hostDirectory, 'driver'),
      diskRate: {
        bytesPerSecond: settings.sandboxDiskRate * 1024 * 1024,
        devices: () => poolDevices(diskDirectory),
      },
      logger,
      signal: closing.signal,
    }),
    files: {
      directory: path.join(hostDirectory, 'files'),
      guestDirectory: settings.guestDirectory,
      certificateBundle: settings.certificateBundle,
      extraCertificates: settings.extraCertificates,
    },
    imageArchive: settings.imageArchive,
    spareSandboxes: settings.spareSandboxes,
    spareKernels: settings.spareKernels === 'on',
    memory: {
      keepsFrozen: settings.frozenCopies === 'on',
      imageBudgetBytes: settings.memoryImageBudgetBytes,
      reserveBytes: settings.memoryReserveBytes,
      read: readMemory,
    },
    bootTemplates: settings.bootTemplates === 'on',
    activeCpuShare: settings.activeCpuShare,
    guestEnvironment: guestEnvironmentOf(settings),
    installation,
    gatewayOrdersSocket,
    doctorUrl: settings.doctorUrl,
    sandboxDiskRate: settings.sandboxDiskRate,
    readyTimeoutMs,
    version: readVersion(),
    logger,
    clock: Date.now,
    randomBytes,
  })
  await host.prepare()
  const servers = [host.makeServer({ token: undefined })]
  await listenOnSocket(servers[0] as Server, { path: settings.hostSocket, groupId: settings.socketGroup })
  if (settings.hostListen !== '') {
    const server = host.makeServer({ token: readToken(settings.hostTokenFile) })
    await listenOnAddress(server, settings.hostListen)
    servers.push(server)
  }
  logger.info({ socket: settings.hostSocket, address: settings.hostListen, installation }, 'host daemon serves')
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.once(name, () => {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
      closing.abort()
      // Sandboxes keep running. The next start finishes what is still being written.
      void Promise.allSettled([host.close(), gateway.stop(), network.stop()]).then(() => process.exit(0))
    })
  }
  await host
    .prepareImage()
    .catch((error: unknown) => logger.error({ err: error }, 'the base image could not be prepared'))
}

function namesEnvironment(): Record<string, string> {
  return {
    THREADBOX_LOG_LEVEL: settings.logLevel,
    THREADBOX_NAMES_UID: String(settings.namesUserId),
    THREADBOX_NAMES_GID: String(settings.namesGroupId),
    ...compileCache(),
  }
}

function gatewayEnvironment(): Record<string, string> {
  return {
    THREADBOX_INSTALLATION: settings.installation,
    THREADBOX_LOG_LEVEL: settings.logLevel,
    THREADBOX_GATEWAY_SOCKET: settings.gatewaySocket,
    THREADBOX_GATEWAY_ORDERS_SOCKET: gatewayOrdersSocket,
    THREADBOX_GATEWAY_UID: String(settings.gatewayUserId),
    THREADBOX_GATEWAY_GID: String(settings.gatewayGroupId),
    ...compileCache(),
  }
}

function compileCache(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}

function readToken(file: string): string {
  const token = file === '' ? '' : readFileSync(file, 'utf8').trim()
  if (token.length < 32)
    throw new Error('THREADBOX_HOST_LISTEN requires a THREADBOX_HOST_TOKEN_FILE of at least 32 characters')
  return token
}

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
  return manifest.version
}
