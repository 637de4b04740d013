import { mkdirSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ConnectRouter } from '@connectrpc/connect'
import {
  type DiskSpace,
  git as gitProtocol,
  guestPorts,
  process as processProtocol,
  runs,
  services as servicesProtocol,
  terminals as terminalsProtocol,
} from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { fileRoutes } from './files/file-routes.ts'
import { makeFileServers } from './files/file-servers.ts'
import { type GitModule, makeGitModule } from './git/git.module.ts'
import { type GuestState, makeGuestState } from './ground/guest-state.ts'
import { makeHttpServer, trackConnections } from './ground/server.ts'
import { initRoutes } from './init/init-routes.ts'
import { spareRoutes } from './init/spare-routes.ts'
import { turnRoutes } from './init/turn-routes.ts'
import { makeWaking } from './init/waking.ts'
import { codeRoutes } from './kernels/code-server.ts'
import { type Contexts, makeContexts } from './kernels/contexts.ts'
import { makeAddedVariables } from './launch/added-variables.ts'
import { type Launcher, makeLauncher } from './launch/launcher.ts'
import { makePipePool } from './launch/pipe-pool.ts'
import type { Programs } from './launch/programs.ts'
import { recordBaseline } from './manifest/disk-baseline.ts'
import { makeManifestReader, type ReadManifest } from './manifest/manifest.ts'
import { manifestRoutes } from './manifest/manifest-routes.ts'
import { makeRestObstacle } from './manifest/rest-obstacle.ts'
import { makeActivityReader } from './processes/activity.ts'
import { makeProcessRegistry, type ProcessRegistry } from './processes/process-registry.ts'
import { makeProcessService } from './processes/process-service.ts'
import { forgetRoutes } from './rescue/forget-routes.ts'
import { guardStarts } from './rescue/guard-starts.ts'
import { rescueRoutes } from './rescue/rescue-routes.ts'
import { makeRescueStore } from './rescue/rescue-store.ts'
import { makeRescues, type Rescues } from './rescue/rescues.ts'
import { type ExecutionRegistry, makeExecutionRegistry } from './runs/run-registry.ts'
import { makeRunsService } from './runs/runs-service.ts'
import { makeServiceRegistry, type ServiceRegistry } from './services/service-registry.ts'
import { makeServicesService } from './services/services-service.ts'
import { linkDf, makeDiskSpace } from './space/space-routes.ts'
import { makeTerminalRegistry, type TerminalRegistry } from './terminals/terminal-registry.ts'
import { makeTerminalsService } from './terminals/terminals-service.ts'
import { answerTunnels } from './tunnel/tunnel.ts'
import { makeCpuMeter } from './watchdog/cpu-meter.ts'
import { startWatchdogs } from './watchdog/watchdogs.ts'

export type GuestOptions = {
  programs: Programs
  guestVersion: string
  /**
   * Small files in memory: pipes, sockets, transfer of shell state. Owned by root; other users can only traverse it.
   */
  scratchDirectory: string
  /** Kept on the sandbox's disk: shell sessions, output that does not fit into memory. */
  stateDirectory: string
  /** True if every process here except the guest's is the user's and can be stopped and ended. False in tests. */
  ownsMachine: boolean
  address: string
  ports: GuestPorts
  logger: Logger
  /** For tests that don't wait for a minute: how long a file server stays without a request. */
  fileServerIdleMs?: number
}

export type Guest = { ports: GuestPorts; close(): Promise<void> }

/** `git` listens on loopback only, for programs of the sandbox. */
type GuestPorts = { guest: number; code: number; git: number }

/** Starts the guest daemon: wires its parts together and listens. */
export async function startGuest(options: GuestOptions): Promise<Guest> {
  const { programs, logger, scratchDirectory } = options
  mkdirSync(scratchDirectory, { recursive: true, mode: 0o711 })
  const state = makeGuestState()
  const pipes = makePipePool({ scratchDirectory, mkfifo: programs.mkfifo })
  const git = makeGitModule(options)
  const variables = makeAddedVariables({ onChanged: () => dropPrepared() })
  const begun = { ...options, state, pipes, addedVariables: variables.now }
  const launcher = makeLauncher({ ...begun, ownEnvironment: git.environment })
  const settingsNow = () => (state.isReady() ? state.settings() : undefined)
  const watchdogs = startWatchdogs({
    logger,
    limits: () => settingsNow()?.limits,
    restObstacle: () => figures.restObstacle(),
  })
  const registry = makeExecutionRegistry({ ...begun, ...watchdogs, launcher })
  watchdogs.addCommandShells(registry.isCommandShell)
  const processes = makeProcessRegistry({ launcher, clock: Date.now })
  const runningKeys = () => runningKeysOf(registry)
  const diskSpace = makeDiskSpace(options)
  const fileServers = makeFileServers({ launcher, programs, logger, idleMs: options.fileServerIdleMs })
  const contexts = makeContexts({ ...begun, launcher, programs, scratchDirectory })
  const figures = makeFigures({ ...processes, contexts, runningKeys, diskSpace: diskSpace.read })
  // It was started with the previous settings.
  const dropPrepared = () => {
    registry.reset()
    void contexts.dropUnused()
  }
  const aptLogStart = keepBaseline(options, state)
  state.onApplied(dropPrepared)
  const rescues = makeRescues({
    ...options,
    store: makeRescueStore({ stateDirectory: options.stateDirectory }),
    launcher,
    setPreferredVictim: watchdogs.setPreferredVictim,
    contexts,
    terminalPids: processes.terminalPids,
    runningKeys,
  })
  const readManifest = makeManifestReader({
    launcher,
    contexts: contexts.list,
    terminalPids: processes.terminalPids,
    runningKeys,
    guestPorts,
    stateDirectory: options.stateDirectory,
    aptLogStart,
  })
  const services = makeServicePart({ ...options, ...watchdogs, launcher, contexts })
  const connections = trackConnections()
  const awoken = makeWaking({
    contexts: contexts.list,
    diskChanged: ({ isFirst }) => {
      rescues.load()
      // The first handshake prepares sessions anyway.
      if (!isFirst) registry.reset()
    },
    reopen: rescues.reopen,
    closeConnectionsExcept: connections.closeExcept,
    forgetVariables: variables.clear,
    logger,
  })
  const known = { rescues, registry, processes, contexts, launcher }
  const guarded = guardStarts(known)
  const terminals = makeTerminalRegistry({ processes: guarded.processes, launcher })
  const http = { state, logger, onAction: watchdogs.disturb }
  const server = makeHttpServer({
    ...http,
    routes: [
      ...initRoutes({ ...options, ...figures, state, awoken }),
      ...diskSpace.routes,
      ...savingRoutes({ ...options, ...known, state, readManifest, fileServers, terminals, services }),
      ...fileRoutes({ state, servers: fileServers, clock: Date.now }),
      ...git.routes,
      ...variables.routes,
    ],
    services: addServices({ ...known, ...watchdogs, guarded, terminals, services, git }),
  })
  const codeServer = makeHttpServer({ ...http, routes: codeRoutes(contexts) })
  answerTunnels(server, { state, logger })
  for (const watched of [server, codeServer]) connections.watch(watched)
  const ports = await listenAll({ guest: server, code: codeServer, git: git.server }, options)
  logger.info({ ...ports, guestVersion: options.guestVersion }, 'guest listening')
  return {
    ports,
    close: async () => {
      watchdogs.stop()
      fileServers.close()
      registry.close()
      await Promise.all([contexts.close(), close(server), close(codeServer), close(git.server)])
    },
  }
}

/** What the host asks again and again. */
function makeFigures({
  contexts,
  diskSpace,
  ...known
}: Pick<ProcessRegistry, 'terminalPids' | 'terminalsLastInputAt'> & {
  contexts: Contexts
  runningKeys(): string[]
  diskSpace: () => DiskSpace | undefined
}) {
  return {
    activity: makeActivityReader({ ...known, guestPorts }).read,
    restObstacle: makeRestObstacle({ ...known, contexts: contexts.list }),
    cpuUsedPercent: makeCpuMeter(Date.now),
    diskSpace,
  }
}

/** Records the disk’s content whenever programs of another sandbox begin to use it. */
function keepBaseline(
  { stateDirectory, ownsMachine, programs, logger }: GuestOptions,
  state: GuestState,
): () => number {
  let baseline = { aptLogStart: 0 }
  state.onApplied(() => {
    baseline = recordBaseline(stateDirectory)
    if (ownsMachine) linkDf({ program: programs.df, logger })
  })
  return () => baseline.aptLogStart
}

/** What the host requests before it saves or discards the memory of this sandbox, and before and after its use. */
function savingRoutes(
  parts: Parameters<typeof spareRoutes>[0] &
    Parameters<typeof turnRoutes>[0] &
    Omit<Parameters<typeof forgetRoutes>[0], 'dropUnused'> & { readManifest: ReadManifest },
): Parameters<typeof makeHttpServer>[0]['routes'] {
  const { readManifest, contexts, fileServers, rescues } = parts
  const dropUnused = async () => void (await Promise.all([contexts.dropUnused(), fileServers.stopIdle()]))
  return [
    ...manifestRoutes({ readManifest, dropUnused }),
    ...spareRoutes(parts),
    ...turnRoutes(parts),
    ...forgetRoutes({ ...parts, dropUnused }),
    ...rescueRoutes({ rescues }),
  ]
}

/** The RPC services. Calls that start something wait while memory is being discarded. */
function addServices(parts: {
  rescues: Rescues
  guarded: ReturnType<typeof guardStarts>
  terminals: TerminalRegistry
  contexts: Contexts
  services: ServiceRegistry
  launcher: Launcher
  git: GitModule
  takeTermination: Parameters<typeof makeRunsService>[0]['takeTermination']
}) {
  const { launcher, rescues, guarded, terminals } = parts
  return (router: ConnectRouter) => {
    router.service(gitProtocol.Git, parts.git.service)
    router.service(runs.Runs, makeRunsService({ ...parts, registry: guarded.registry }))
    router.service(servicesProtocol.Services, makeServicesService({ registry: parts.services, rescues }))
    router.service(terminalsProtocol.Terminals, makeTerminalsService(terminals))
    router.service(processProtocol.Process, makeProcessService({ registry: guarded.processes, launcher }))
  }
}

function makeServicePart(
  options: Pick<Parameters<typeof makeServiceRegistry>[0], 'launcher' | 'stateDirectory' | 'takeTermination'> & {
    contexts: Contexts
  },
) {
  const kernels = () => options.contexts.list().flatMap((context) => context.kernel() ?? [])
  return makeServiceRegistry({
    ...options,
    guestPorts,
    isRuntimeSocket: (inode) => kernels().some(({ ownSockets }) => ownSockets.has(inode)),
  })
}

function runningKeysOf(registry: ExecutionRegistry): string[] {
  return registry
    .list()
    .filter((run) => run.end === undefined)
    .map((run) => run.key)
}

async function listenAll(
  servers: Record<keyof GuestPorts, Server>,
  { address, ports }: Pick<GuestOptions, 'address' | 'ports'>,
): Promise<GuestPorts> {
  return {
    guest: await listen(servers.guest, { address, port: ports.guest }),
    code: await listen(servers.code, { address, port: ports.code }),
    git: await listen(servers.git, { address: '127.0.0.1', port: ports.git }),
  }
}

async function close(server: Server) {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

function listen(server: Server, options: { address: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.address, () => resolve((server.address() as AddressInfo).port))
  })
}
