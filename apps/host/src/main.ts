import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import path from 'node:path'
import { endIfAskedForVersion, hostSettings, readSettings, readVersion } from '@threadbox/config'
import { makeBtrfsDiskStore, poolDevices } from '@threadbox/disk-store'
import { isThreadboxError } from '@threadbox/errors'
import { makeGvisorDriver, removeUnusedSwapOf } from '@threadbox/gvisor-driver'
import type { MemorySavingDriver } from '@threadbox/sandbox-driver'
import { makeLogger } from '@threadbox/telemetry'
import { makeGuestEnvironment } from './boots/launch/guest-environment.ts'
import { type Host, makeHost } from './host.ts'
import { readMemory, withoutReturning } from './machine/programs/machine-memory.ts'
import { openStateDatabase } from './machine/state/state-database.ts'
import { openRouter, type Router } from './router.ts'
import { listenOnAddress, listenOnSocket } from './server.ts'

endIfAskedForVersion(import.meta.url)
const settings = readSettings(hostSettings, process.env)
const logger = makeLogger({ process: 'host', level: settings.logLevel })
const closing = new AbortController()
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
  const router = await openRouter({
    settings,
    compileCache: process.env.NODE_COMPILE_CACHE,
    database,
    logger,
    signal: closing.signal,
  })
  const { network, pool, gatewayOrdersSocket, processes } = router
  const driver = await makeDriver({ hostDirectory, diskDirectory })
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
    driver,
    files: {
      directory: path.join(hostDirectory, 'files'),
      guestDirectory: settings.guestDirectory,
      certificateBundle: settings.certificateBundle,
      extraCertificates: settings.extraCertificates,
    },
    imageArchive: settings.imageArchive,
    spareSandboxes: settings.spareSandboxes,
    preparedAllocations: settings.preparedAllocations,
    spareKernels: settings.spareKernels,
    memory: {
      keepsFrozen: settings.frozenCopies === 'on',
      imageBudgetBytes: settings.memoryImageBudgetBytes,
      reserveBytes: settings.memoryReserveBytes,
      read: async () => withoutReturning(await readMemory(), await driver.compression()),
    },
    bootTemplates: settings.bootTemplates === 'on',
    activeCpuShare: settings.activeCpuShare,
    freezeIdleMs: settings.freezeIdleSeconds * 1000,
    compressesFrozen: settings.compressFrozen === 'on',
    guestEnvironment: makeGuestEnvironment(settings),
    installation,
    gatewayOrdersSocket,
    doctorUrl: settings.doctorUrl,
    sandboxDiskRate: settings.sandboxDiskRate,
    sealingKeyFile: path.join(hostDirectory, 'sealing-key'),
    processes,
    readyTimeoutMs,
    version: readVersion(import.meta.url),
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
      // Sandboxes keep running. The next start finishes what is still being written.
      void end(host, router).then(() => process.exit(0))
    })
  }
  await host
    .prepareImage()
    .catch((error: unknown) => logger.error({ err: error }, 'the base image could not be prepared'))
}

async function makeDriver(places: { hostDirectory: string; diskDirectory: string }): Promise<MemorySavingDriver> {
  return await makeGvisorDriver({
    installation: settings.installation,
    runscPath: settings.runscPath,
    stateDirectory: path.join(places.hostDirectory, 'driver'),
    diskRate: {
      bytesPerSecond: settings.sandboxDiskRate * 1024 * 1024,
      devices: () => poolDevices(places.diskDirectory),
    },
    compressesFrozen: settings.compressFrozen === 'on',
    logger,
    signal: closing.signal,
  })
}

async function end(host: Host, router: Pick<Router, 'stop'>): Promise<void> {
  await host.endRests()
  closing.abort()
  await Promise.allSettled([host.close(), router.stop()])
  await removeUnusedSwapOf(settings.installation).catch((error: unknown) => {
    logger.error({ err: error }, 'the swap for frozen sandboxes could not be removed')
  })
}

function readToken(file: string): string {
  const token = file === '' ? '' : readFileSync(file, 'utf8').trim()
  if (token.length < 32)
    throw new Error('THREADBOX_HOST_LISTEN requires a THREADBOX_HOST_TOKEN_FILE of at least 32 characters')
  return token
}
