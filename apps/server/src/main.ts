import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { uptime } from 'node:os'
import { join } from 'node:path'

import { endIfAskedForVersion, readSettings, type Setting, serverSettings, turnSettings } from '@threadbox/config'
import { openStore } from '@threadbox/object-store'
import { makeLogger } from '@threadbox/telemetry'
import { type Application, makeApplication } from './application.ts'
import { makeFrontServer } from './front-server.ts'
import { makeMetricsListener } from './installation/metrics-listener.ts'
import { serveSupport, supportSocketOf } from './installation/support-socket.ts'
import { migrate, migrationNames } from './migrations.registry.ts'
import type { FixedSetting } from './people/settings/settings.ts'
import { makeDirectoryBlobStore } from './platform/blobs/directory-blob-store.ts'
import { type OpenDatabase, openDatabase } from './platform/database/database.ts'
import { setAsideMigrations } from './platform/database/set-aside.ts'
import { loadMasterKey } from './platform/secrets/secret-box.ts'
import { makeSystem } from './platform/system/system.ts'
import { makeHostClient } from './sandboxes/host/host-client.ts'

/** How long connections can take to end at a stop before they are cut. */
const closeLimitMs = 3000

endIfAskedForVersion(import.meta.url)
const environment = process.env
const version = environment.THREADBOX_VERSION ?? '0.1.0'
const settings = readSettings(serverSettings, environment)
const logger = makeLogger({ process: 'server', level: settings.logLevel })

/** Settings that were read at start, for the app, without URLs that contain a password. */
function fixedSettings(): FixedSetting[] {
  const values = { ...settings, ...readSettings(turnSettings, environment) } as Record<string, string | number>
  const definitions: Record<string, Setting<unknown>> = { ...serverSettings, ...turnSettings }
  const hidden = ['databaseUrl', 'ownerTokenFile', 'archiveAccessKeyId', 'archiveSecretAccessKey']
  return Object.entries(definitions)
    .filter(([name]) => !hidden.includes(name))
    .map(([name, definition]) => ({
      name: definition.environment,
      doc: definition.doc,
      value: values[name] ?? null,
      default: definition.default as string | number,
    }))
}

/**
 * The launcher leaves the file `going-back` when it puts this release back after a newer one: if it is killed then, the
 * database still has migrations that only the newer one knows.
 */
async function migrateInstallation(open: OpenDatabase, directory: string): Promise<void> {
  const goingBack = join(directory, 'going-back')
  if (existsSync(goingBack)) await setAsideMigrations(open.database, migrationNames)
  await migrate(open)
  await rm(goingBack, { force: true })
}

/** Of the same release, also after another one is installed. */
function backupProgram(): string {
  const isSource = import.meta.filename.endsWith('.ts')
  return join(import.meta.dirname, isSource ? 'backup-program/main.ts' : '../backup/main.js')
}

/** Changes with each restart of the machine. */
async function machineBootId(): Promise<string> {
  return await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')
}

/**
 * Returns null when the name doesn't exist, and undefined when the resolver fails, which says nothing about the name.
 */
async function lookUpName(name: string): Promise<string | null | undefined> {
  return await lookup(name).then(
    ({ address }) => address,
    (error: NodeJS.ErrnoException) => (error.code === 'ENOTFOUND' ? null : undefined),
  )
}

async function main(): Promise<void> {
  process.umask(0o077)
  const directory = settings.serverDirectory || join(settings.dataDirectory, 'server')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const open = openDatabase(
    settings.databaseUrl ? { url: settings.databaseUrl } : { file: join(directory, 'server.db') },
  )
  await migrateInstallation(open, directory)
  const host = makeHostClient({ socketPath: settings.hostSocket, gatewaySocketPath: settings.gatewaySocket })
  const application = makeApplication({
    open,
    host,
    gatewaySocket: settings.gatewaySocket,
    egressSocket: settings.egressSocket,
    blobs: makeDirectoryBlobStore(join(directory, 'blobs')),
    masterKey: await loadMasterKey(join(directory, 'master.key')),
    hosts: settings,
    trustedProxies: settings.trustedProxies,
    ownerTokenFile: settings.ownerTokenFile,
    auditHeadFile: join(directory, 'audit.head'),
    backups: { directory, command: [process.execPath, '--disable-sigusr1', backupProgram()], environment },
    webDirectory: settings.webDirectory,
    undoMs: settings.undoSeconds * 1000,
    turnSettings: readSettings(turnSettings, environment),
    connectionSettings: settings,
    archive: {
      place: settings.archiveStore,
      spoolDirectory: join(directory, 'archive'),
      openStore: (place) =>
        openStore(place, {
          outside: [settings.dataDirectory, directory],
          access: { accessKeyId: settings.archiveAccessKeyId, secretAccessKey: settings.archiveSecretAccessKey },
        }),
    },
    environment,
    ollamaUrl: null,
    fixedSettings: fixedSettings(),
    lookUpName,
    version,
    system: makeSystem({ now: Date.now, randomBytes: (count) => randomBytes(count) }),
    machine: { uptimeMs: () => uptime() * 1000, bootId: await machineBootId() },
    logger,
  })
  await application.start()
  const server = makeFrontServer({
    app: application.app,
    previews: application.previewServer,
    sockets: application.socketServer,
  })
  server.listen({ host: settings.listenHost, port: settings.listenPort }, () => {
    const { address, port } = server.address() as AddressInfo
    logger.info({ address, port }, 'server listens')
  })

  const metrics = serveMetrics(application)
  const support = await serveSupport({
    socketPath: supportSocketOf(directory),
    facts: application.areas.installation.liveFacts,
    logger,
  })
  const stop = async (signal: string) => {
    logger.info({ signal }, 'server stops')
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve())
    })
    metrics?.close()
    support.close()
    const cut = setTimeout(() => server.closeAllConnections(), closeLimitMs)
    await application.stop()
    await closed
    clearTimeout(cut)
    await host.close()
    await open.close()
    logger.info('server stopped')
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop(signal))
}

/** Only where a setting says so. */
function serveMetrics({ areas }: Application): Server | undefined {
  if (settings.metricsListen === '') return undefined
  const { hostname, port } = new URL(`http://${settings.metricsListen}`)
  const listener = makeMetricsListener({ metrics: areas.installation.metrics, logger })
  listener.on('error', (error) => logger.error({ err: error }, 'metrics are not served'))
  listener.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) })
  return listener
}

main().catch((error: unknown) => {
  logger.fatal({ err: error }, 'server could not start')
  process.exit(1)
})
