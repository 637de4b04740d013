import type { turnSettings } from '@threadbox/config'
import type { Logger } from '@threadbox/telemetry'
import type { Hono } from 'hono'
import { makeThreadParts, type ThreadParts, type ThreadTimes } from './application-parts.ts'
import { type ConnectionParts, type ConnectionSettings, makeConnectionFeature } from './connection-parts.ts'
import { installationRoutes, setupRoutes } from './installation/installation.routes.ts'
import { makeStatus } from './installation/status.ts'
import type { Audit } from './people/audit/audit.ts'
import { makePeople, type People } from './people/people.ts'
import type { FixedSetting } from './people/settings/settings.ts'
import type { HashPassword, Login } from './people/users/login.ts'
import type { Users } from './people/users/users.usecases.ts'
import type { BlobStore } from './platform/blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from './platform/database/database.ts'
import type { Api, ApiEnv } from './platform/http/api.ts'
import type { AllowedHosts } from './platform/http/origins.ts'
import type { SocketFront } from './platform/http/socket-front.ts'
import { makePlatform, type Platform } from './platform/platform.ts'
import type { System } from './platform/system/system.ts'
import type { HostClient } from './sandboxes/host/host-client.ts'
import type { MachineClock } from './sandboxes/lifecycle/lifecycle-clock.ts'
import type { LookUpName } from './sandboxes/previews/preview-check.usecases.ts'
import type { PreviewFront } from './sandboxes/previews/preview-front.ts'
import { makePreviewNames } from './sandboxes/previews/preview-names.models.ts'
import { makeSandboxArea, type SandboxArea } from './sandboxes/sandboxes.ts'
import { makeServer } from './server.ts'
import { makeSockets } from './socket-parts.ts'
import { makeThreadArea, type ThreadArea } from './threads/threads.ts'
import { makeTurnPart } from './turn-part.ts'
import type { AgentConnections } from './turns/connections/agent-connections.ts'
import { connectionRoutes } from './turns/connections/connections.routes.ts'
import { makeConnectionStore } from './turns/connections/connections.store.ts'
import type { ConnectionTables } from './turns/connections/connections.table.ts'
import type { Connections } from './turns/connections/connections.usecases.ts'
import { turnRoutes } from './turns/engine/turns.routes.ts'
import type { Turns } from './turns/engine/turns.usecases.ts'
import { modelRoutes } from './turns/models/models.routes.ts'
import { makeModelStore } from './turns/models/models.store.ts'
import type { ModelTables } from './turns/models/models.table.ts'
import { type Models, makeModels } from './turns/models/models.usecases.ts'
import { skillRoutes } from './turns/skills/skills.routes.ts'
import { snapshotRoutes } from './turns/snapshots/snapshots.routes.ts'
import { agentRoutes } from './workflows/agents/agents.routes.ts'
import type { Agents } from './workflows/agents/agents.usecases.ts'
import { type AgentPart, makeAgentPart } from './workflows/agents/agents-part.ts'
import { exportRoutes } from './workflows/export/export.routes.ts'
import { forkParts } from './workflows/forks/forks-part.ts'
import { rewindRoutes } from './workflows/rewinds/rewinds.routes.ts'
import type { Rewinds } from './workflows/rewinds/rewinds.usecases.ts'
import { makeRewindPart } from './workflows/rewinds/rewinds-part.ts'
import { makeRunParts, type RunParts } from './workflows/runs/runs-part.ts'
import { makeSharingParts, type SharingParts } from './workflows/sharing/sharing-parts.ts'

export type ApplicationOptions = ThreadTimes & {
  open: OpenDatabase
  host: HostClient
  /** Where the host daemon listens: requests of previews go to it as they come. */
  hostSocket: string
  blobs: BlobStore
  masterKey: Uint8Array
  hashPassword?: HashPassword
  hosts: AllowedHosts
  ownerTokenFile: string
  webDirectory: string
  turnSettings: { [Name in keyof typeof turnSettings]: number }
  connectionSettings: ConnectionSettings
  /** Variables that may hold keys of model providers. */
  environment: Readonly<Record<string, string | undefined>>
  /** Where Ollama is looked for; null for its own address. */
  ollamaUrl: string | null
  fixedSettings: readonly FixedSetting[]
  /** The address of a name, as this machine resolves it. */
  lookUpName: LookUpName
  version: string
  system: System
  machine: MachineClock
  logger: Logger
}

/** The whole server without a socket. Migrate the database before. */
export type Application = {
  app: Hono<ApiEnv>
  api: Api
  /** What comes under the names of previews. */
  previewFront: PreviewFront
  /** What of the app becomes a WebSocket. */
  socketFront: SocketFront
  areas: { platform: Platform; people: People; threads: ThreadArea; sandboxes: SandboxArea }
  parts: ThreadParts & {
    users: Users
    login: Login
    turns: Turns
    models: Models
    agentConnections: AgentConnections
    agents: Agents
    runs: RunParts
  }
  /** Takes up what a crash or a stop left unfinished, then follows the host. */
  start(): Promise<void>
  stop(): Promise<void>
}

export function makeApplication(options: ApplicationOptions): Application {
  const { open, system } = options
  const platform = makePlatform(options)
  const people = makePeople(platform, options)
  const { audit, settings } = people
  const area = makeThreadArea({ platform, people }, options)
  const sandboxArea = makeSandboxArea({ platform, people, threads: area }, options)
  const parts = makeThreadParts({ platform, people, area, sandboxArea }, options)
  const models = makeModels({
    store: makeModelStore(tablesOf<ModelTables>(open.database)),
    secretBox: platform.secretBox,
    environment: options.environment,
    clock: { nowMs: system.now },
    randomBytes: system.randomBytes,
    ollamaUrl: options.ollamaUrl,
  })
  const connectionParts = makeConnectionFeature(options, { parts, audit })
  const connectionStore = makeConnectionStore(tablesOf<ConnectionTables>(open.database))
  area.addContentCounter({ kind: 'connections', count: connectionStore.namesIn })
  const turns = makeTurnPart(options, { parts, models, connectionParts, onTurnEnded: () => runs.nudge() })
  area.events.on('thread-deleted', ({ threadId }) => turns.stop(threadId))
  const rewinds = makeRewindPart(options, { parts, turns })
  models.onConnected(async (connection) => {
    await turns.offerModel(connection.name)
    parts.userHub.broadcast({ type: 'status-updated' })
  })
  const agentPart = makeAgentPart(options, { parts, turns, settings, audit })
  const runs = makeRunParts(options, { parts, agents: agentPart.agents, turns, settings, audit })
  const sharing = makeSharingParts({ ...parts, ...options, audit })
  const socketFront = makeSockets(options, {
    authentication: people.authentication,
    sockets: [...area.sockets, ...sandboxArea.sockets],
  })
  const stopping = new AbortController()
  const known = {
    people,
    area,
    sandboxArea,
    parts,
    sharing,
    models,
    turns,
    rewinds,
    agentPart,
    audit,
    runs,
    stopping: stopping.signal,
    connections: connectionParts.connections,
  }
  const { app, api } = mountRoutes(options, known)
  return {
    app,
    api,
    previewFront: sandboxArea.previewFront,
    socketFront,
    areas: { platform, people, threads: area, sandboxes: sandboxArea },
    parts: {
      ...parts,
      users: people.users,
      login: people.login,
      turns,
      models,
      runs,
      agentConnections: connectionParts.agentConnections,
      agents: agentPart.agents,
    },
    ...lifecycle(options, {
      platform,
      area,
      sandboxArea,
      parts,
      sharing,
      socketFront,
      turns,
      rewinds,
      runs,
      stopping,
      connectionParts,
      agentPart,
    }),
  }
}

function mountRoutes(
  options: ApplicationOptions,
  known: {
    people: People
    area: ThreadArea
    sandboxArea: SandboxArea
    parts: ThreadParts
    sharing: SharingParts
    models: Models
    turns: Turns
    rewinds: Rewinds
    connections: Connections
    agentPart: AgentPart
    runs: RunParts
    audit: Audit
    stopping: AbortSignal
  },
) {
  const { parts, people, models } = known
  const { users } = people
  const { threads, log } = parts
  const { files } = known.sandboxArea
  const hasModel = async () => (await models.usable(null)) !== undefined
  const status = makeStatus({ version: options.version, host: options.host, users, hasModel })
  return makeServer({
    hosts: options.hosts,
    version: options.version,
    webDirectory: options.webDirectory,
    logger: options.logger,
    stopping: known.stopping,
    authentication: people.authentication,
    publicRoutes: [setupRoutes(status), people.signInRoutes],
    sharedPages: known.sharing.pages,
    hookPages: known.runs.pages,
    routes: [
      ...people.routes,
      ...known.area.routes,
      skillRoutes({ skills: parts.skills, threads, files, placeOf: parts.setups.placeOf }),
      agentRoutes({ ...known.agentPart, threads }),
      known.runs.routes,
      exportRoutes({ threads, log, blobs: options.blobs }),
      ...known.sandboxArea.routes,
      ...forkParts(options, known),
      rewindRoutes({ rewinds: known.rewinds, open: (userId, threadId) => threads.open(userId, threadId) }),
      snapshotRoutes({ snapshots: parts.snapshots, open: (userId, threadId) => threads.open(userId, threadId) }),
      known.sharing.routes,
      turnRoutes({ turns: known.turns, open: (userId, threadId) => threads.open(userId, threadId) }),
      connectionRoutes({
        connections: known.connections,
        originOf: makePreviewNames(options.hosts).ownOrigin,
      }),
      modelRoutes({ models, isOwner: (userId) => users.isOwner(userId) }),
      installationRoutes({ status, settings: people.settings, audit: known.audit, users }),
    ],
  })
}

/** Snapshots that an earlier server, or an absent host, left to be taken. */
function takeLeftSnapshots({ logger }: ApplicationOptions, { snapshots }: ThreadParts): void {
  snapshots.recover().catch((error: unknown) => logger.warn({ err: error }, 'snapshots were not taken up again'))
}

function lifecycle(
  options: ApplicationOptions,
  known: {
    platform: Platform
    area: ThreadArea
    sandboxArea: SandboxArea
    parts: ThreadParts
    sharing: SharingParts
    socketFront: SocketFront
    turns: Turns
    rewinds: Rewinds
    runs: RunParts
    stopping: AbortController
    connectionParts: ConnectionParts
    agentPart: AgentPart
  },
): Pick<Application, 'start' | 'stop'> {
  const { parts, turns, area, sandboxArea } = known
  const { operations } = parts
  const { programs } = known.connectionParts
  area.addEraser(async (threadId) => {
    await turns.stop(threadId)
    await turns.settled(threadId)
  })
  area.addWorkspaceEraser(programs.eraseOfWorkspace)
  sandboxArea.addOwner(known.agentPart.environments.sandboxIds)
  sandboxArea.addOwner(programs.sandboxIds)
  sandboxArea.events.on('host-changed', ({ isReachable }) => {
    if (!isReachable) return
    takeLeftSnapshots(options, parts)
    void known.rewinds.recover()
    known.connectionParts.hostIsBack()
  })
  return {
    start: async () => {
      known.platform.registrations.close()
      await area.replanDeletions()
      sandboxArea.follow()
      await known.agentPart.environments.recover()
      await programs.recover()
      operations.start()
      await sandboxArea.checkAwake()
      await sandboxArea.recoverLifecycle()
      await known.rewinds.recover()
      await turns.recover()
      known.runs.start()
      sandboxArea.startPolicy()
    },
    stop: async () => {
      known.stopping.abort()
      sandboxArea.previewFront.close()
      known.socketFront.close()
      known.sharing.close()
      await known.runs.stop()
      await turns.close()
      await parts.snapshots.idle()
      await known.connectionParts[Symbol.asyncDispose]()
      await sandboxArea.stopPolicy()
      await sandboxArea.stopReports()
      await sandboxArea.stopWatches()
      await operations.stop()
      await sandboxArea.stopFollowing()
    },
  }
}
