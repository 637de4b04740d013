import type { turnSettings } from '@threadbox/config'
import type { Logger } from '@threadbox/telemetry'
import type { Hono } from 'hono'
import { agentRoutes } from './agents/agents.routes.ts'
import type { Agents } from './agents/agents.usecases.ts'
import { type AgentPart, makeAgentPart } from './agents/agents-part.ts'
import { makeAuditPart, makeThreadParts, type ThreadParts, type ThreadTimes } from './application-parts.ts'
import { contentRoutes } from './attachments/content.routes.ts'
import type { Audit } from './audit/audit.ts'
import { blobPrefixesOf } from './blobs/blob-keys.ts'
import type { BlobStore } from './blobs/blob-store.ts'
import { type ConnectionParts, type ConnectionSettings, makeConnectionFeature } from './connection-parts.ts'
import type { AgentConnections } from './connections/agent-connections.ts'
import { connectionRoutes } from './connections/connections.routes.ts'
import type { Connections } from './connections/connections.usecases.ts'
import { type OpenDatabase, tablesOf } from './database/database.ts'
import { exportRoutes } from './export/export.routes.ts'
import { fileRoutes } from './files/files.routes.ts'
import { filesOf } from './files/files-part.ts'
import { forkParts } from './forks/forks-part.ts'
import { gitRoutesOf } from './git/git-part.ts'
import type { Api, ApiEnv, OpenThread } from './http/api.ts'
import type { AllowedHosts } from './http/origins.ts'
import type { SocketFront } from './http/socket-front.ts'
import { lifecycleRoutes } from './lifecycle/lifecycle.routes.ts'
import type { MachineClock } from './lifecycle/lifecycle-clock.ts'
import { modelRoutes } from './models/models.routes.ts'
import { makeModelStore } from './models/models.store.ts'
import type { ModelTables } from './models/models.table.ts'
import { type Models, makeModels } from './models/models.usecases.ts'
import type { LookUpName } from './previews/preview-check.usecases.ts'
import type { PreviewFront } from './previews/preview-front.ts'
import { makePreviewNames } from './previews/preview-names.models.ts'
import { makePreviewParts, type PreviewParts } from './previews/preview-parts.ts'
import { previewRoutes } from './previews/previews.routes.ts'
import { shareLinkRoutes } from './previews/share-links.routes.ts'
import { rewindRoutes } from './rewinds/rewinds.routes.ts'
import type { Rewinds } from './rewinds/rewinds.usecases.ts'
import { makeRewindPart } from './rewinds/rewinds-part.ts'
import { makeRunParts, type RunParts } from './runs/runs-part.ts'
import type { HostClient } from './sandboxes/host-client.ts'
import { startReconciler } from './sandboxes/reconciler.ts'
import { eraseSandbox } from './sandboxes/sandbox-deletion.ts'
import { deriveKey, makeSecretBox } from './secrets/secret-box.ts'
import { makeServer } from './server.ts'
import { serviceRoutes } from './services/services.routes.ts'
import { installationRoutes, setupRoutes } from './settings/installation.routes.ts'
import type { SettingTables } from './settings/settings.table.ts'
import { type FixedSetting, makeSettings, type Settings } from './settings/settings.ts'
import { makeStatus } from './settings/status.ts'
import { makeSharingParts, type SharingParts } from './sharing/sharing-parts.ts'
import { skillRoutes } from './skills/skills.routes.ts'
import { snapshotRoutes } from './snapshots/snapshots.routes.ts'
import { makeSockets } from './socket-parts.ts'
import type { System } from './system.ts'
import { makeTerminalFeature, type TerminalFeature } from './terminals/terminal-feature.ts'
import { terminalRoutes } from './terminals/terminals.routes.ts'
import { registerThreadDeletion, replanDeletions } from './threads/thread-deletion.ts'
import { threadRoutes } from './threads/threads.routes.ts'
import { makeTurnPart } from './turn-part.ts'
import { turnRoutes } from './turns/turns.routes.ts'
import type { Turns } from './turns/turns.usecases.ts'
import { makeApiKeyStore } from './users/api-keys.store.ts'
import { type ApiKeys, makeApiKeys } from './users/api-keys.usecases.ts'
import { makeAttemptLimit } from './users/attempt-limit.ts'
import { type AuthenticationOptions, authenticationOf } from './users/authentication.middleware.ts'
import { type HashPassword, type Login, makeLogin } from './users/login.ts'
import { makeOwnerToken } from './users/owner-token.ts'
import { accountRoutes, signInRoutes } from './users/users.routes.ts'
import { makeUserStore } from './users/users.store.ts'
import type { UserTables } from './users/users.table.ts'
import { makeUsers, type Users } from './users/users.usecases.ts'
import { registerWorkspaceDeletion, replanWorkspaceDeletions } from './workspaces/workspace-deletion.ts'
import { workspaceRoutes } from './workspaces/workspaces.routes.ts'

/** Attempts to log in or sign up per address and per e-mail, in a quarter of an hour. */
const attemptLimit = { limit: 10, windowMs: 15 * 60_000 }

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
  const { open, system, logger } = options
  const audit = makeAuditPart({ open, system })
  const settingTables = tablesOf<SettingTables>(open.database)
  const settings = makeSettings({ database: settingTables, fixed: options.fixedSettings, audit, system })
  const stopTurn = (threadId: string) => {
    turns.stop(threadId).catch((error: unknown) => logger.warn({ err: error, threadId }, 'turn was not stopped'))
  }
  const manifestKey = deriveKey(options.masterKey, 'threadbox manifests v1')
  const parts = makeThreadParts({
    ...{ ...options, manifestKey, settings, audit, onThreadDeleted: stopTurn },
    onSandboxChanged: (threadId) => terminals.sandboxChanged(threadId),
  })
  settings.onLimitsChanged(parts.applyLimits)
  const models = makeModels({
    store: makeModelStore(tablesOf<ModelTables>(open.database)),
    secretBox: makeSecretBox(options.masterKey),
    environment: options.environment,
    clock: { nowMs: system.now },
    randomBytes: system.randomBytes,
    ollamaUrl: options.ollamaUrl,
  })
  const connectionParts = makeConnectionFeature(options, { parts, audit })
  const turns = makeTurnPart(options, { parts, models, connectionParts, onTurnEnded: () => runs.nudge() })
  const rewinds = makeRewindPart(options, { parts, turns })
  models.onConnected(async (connection) => {
    await turns.offerModel(connection.name)
    parts.userHub.broadcast({ type: 'status-updated' })
  })
  const agentPart = makeAgentPart(options, { parts, turns, settings, audit })
  const runs = makeRunParts(options, { parts, agents: agentPart.agents, turns, settings, audit })
  const people = makePeople(options, audit)
  const previews = makePreviewParts({ ...options, ...parts, audit })
  const sharing = makeSharingParts({ ...options, ...parts, audit })
  const authentication = authenticationOf({ ...people, hosts: options.hosts })
  const terminals = makeTerminalFeature({
    ...options,
    ...parts,
    openThread: (userId, threadId) => parts.threads.open(userId, threadId),
  })
  const socketFront = makeSockets(options, { authentication, terminals })
  const stopping = new AbortController()
  const known = {
    ...{ ...people, authentication, parts, previews, sharing, terminals, models, turns, rewinds, agentPart },
    ...{ runs, settings, audit, stopping: stopping.signal, connections: connectionParts.connections },
  }
  const { app, api } = mountRoutes(options, known)
  return {
    app,
    api,
    previewFront: previews.front,
    socketFront,
    parts: {
      ...parts,
      ...{ users: people.users, login: people.login, turns, models, runs },
      agentConnections: connectionParts.agentConnections,
      agents: agentPart.agents,
    },
    ...lifecycle(options, {
      ...{ parts, previews, sharing, socketFront, turns, rewinds, runs, stopping, connectionParts, agentPart },
    }),
  }
}

function makePeople(options: ApplicationOptions, audit: Audit): { users: Users; login: Login; apiKeys: ApiKeys } {
  const { open, system, logger } = options
  const userTables = tablesOf<UserTables>(open.database)
  const login = makeLogin({
    open,
    system,
    secret: deriveKey(options.masterKey, 'threadbox sessions v1').toString('base64url'),
    installation: options.hosts.installation,
    isSecure: options.hosts.publicUrl.startsWith('https:'),
    logger,
    ...(options.hashPassword && { hashPassword: options.hashPassword }),
  })
  const users = makeUsers({
    login,
    store: makeUserStore(userTables),
    ownerToken: makeOwnerToken(options.ownerTokenFile),
    attempts: makeAttemptLimit({ ...attemptLimit, now: system.now }),
    audit,
    system,
  })
  return { users, login, apiKeys: makeApiKeys({ store: makeApiKeyStore(userTables), system }) }
}

function mountRoutes(
  options: ApplicationOptions,
  known: {
    users: Users
    login: Login
    apiKeys: ApiKeys
    parts: ThreadParts
    previews: PreviewParts
    sharing: SharingParts
    terminals: TerminalFeature
    authentication: AuthenticationOptions
    models: Models
    turns: Turns
    rewinds: Rewinds
    connections: Connections
    agentPart: AgentPart
    runs: RunParts
    settings: Settings
    audit: Audit
    stopping: AbortSignal
  },
) {
  const { parts, users, models } = known
  const { threads, log, attachments } = parts
  const open: OpenThread = (userId, threadId) => threads.open(userId, threadId)
  const files = filesOf(parts, options.host)
  const hasModel = async () => (await models.usable(null)) !== undefined
  const status = makeStatus({ version: options.version, host: options.host, users, hasModel })
  return makeServer({
    hosts: options.hosts,
    version: options.version,
    webDirectory: options.webDirectory,
    logger: options.logger,
    stopping: known.stopping,
    authentication: known.authentication,
    publicRoutes: [setupRoutes(status), signInRoutes(users)],
    sharedPages: known.sharing.pages,
    hookPages: known.runs.pages,
    routes: [
      accountRoutes({ users, apiKeys: known.apiKeys }),
      threadRoutes({ threads, log, userHub: parts.userHub }),
      workspaceRoutes({ workspaces: parts.workspaces }),
      skillRoutes({ skills: parts.skills, threads, files, placeOf: parts.setups.placeOf }),
      agentRoutes({ ...known.agentPart, threads }),
      known.runs.routes,
      contentRoutes({ open, log, blobs: options.blobs, attachments }),
      exportRoutes({ threads, log, blobs: options.blobs }),
      fileRoutes({
        ...{ threads, watch: parts.filesWatch, files },
        publish: (userId, event) => parts.userHub.publish(userId, event),
      }),
      ...gitRoutesOf(parts),
      lifecycleRoutes({ lifecycle: parts.lifecycle, open }),
      previewRoutes({ ...known.previews, open: (userId, threadId) => threads.open(userId, threadId) }),
      shareLinkRoutes({ shareLinks: known.previews.shareLinks, open }),
      ...forkParts(options, known),
      rewindRoutes({ rewinds: known.rewinds, open: (userId, threadId) => threads.open(userId, threadId) }),
      snapshotRoutes({ snapshots: parts.snapshots, open: (userId, threadId) => threads.open(userId, threadId) }),
      known.sharing.routes,
      serviceRoutes({ services: parts.services, open: (userId, threadId) => threads.open(userId, threadId) }),
      terminalRoutes({ terminals: known.terminals.terminals, open }),
      turnRoutes({ turns: known.turns, open: (userId, threadId) => threads.open(userId, threadId) }),
      connectionRoutes({
        connections: known.connections,
        originOf: makePreviewNames(options.hosts).ownOrigin,
      }),
      modelRoutes({ models, isOwner: (userId) => users.isOwner(userId) }),
      installationRoutes({ status, settings: known.settings, audit: known.audit, users }),
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
    parts: ThreadParts
    previews: PreviewParts
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
  const { host, blobs, system, logger } = options
  const { parts, turns } = known
  const { operations, threadStore: store, sandboxStore, changeSandbox: change } = parts
  registerThreadDeletion({
    operations,
    store,
    logger,
    erasers: [
      async (threadId) => {
        await turns.stop(threadId)
        await turns.settled(threadId)
      },
      (threadId) => eraseSandbox({ store: sandboxStore, host, change }, threadId),
      (threadId) => known.previews.previews.forget(threadId),
      async (threadId) => {
        for (const prefix of blobPrefixesOf(threadId)) await blobs.deleteAll(prefix)
      },
    ],
  })
  const deletion = { operations, store: parts.workspaceStore, threads: parts.workspaceThreads, system, logger }
  const { programs } = known.connectionParts
  registerWorkspaceDeletion({
    ...deletion,
    eraseContents: async (workspaceId) => {
      await parts.skills.eraseOf(workspaceId)
      await programs.eraseOfWorkspace(workspaceId)
    },
    onErased: parts.gitFollow.refresh,
  })
  let reconciler: AsyncDisposable | undefined
  return {
    start: async () => {
      await replanWorkspaceDeletions({ ...deletion, undoMs: options.undoMs })
      await replanDeletions({ operations, store, system, undoMs: options.undoMs })
      reconciler = startReconciler({
        store: sandboxStore,
        host,
        sandboxes: parts.sandboxes,
        pausing: parts.pausing,
        change,
        otherSandboxes: async () => [
          ...(await known.agentPart.environments.sandboxIds()),
          ...(await programs.sandboxIds()),
        ],
        isDemoting: (sandboxId) => parts.demotion.isDemoting(sandboxId),
        logger,
        onHostChange: (isReachable) => {
          if (isReachable) takeLeftSnapshots(options, parts)
          if (isReachable) void known.rewinds.recover()
          if (isReachable) known.connectionParts.hostIsBack()
          parts.onHostChange(isReachable)
          if (isReachable) parts.skillPlacement.refresh()
          parts.userHub.broadcast({ type: 'status-updated' })
        },
        onEvent: parts.onHostEvent,
        applyLimits: parts.applyLimits,
      })
      await known.agentPart.environments.recover()
      await programs.recover()
      operations.start()
      for (const { thread_id, state } of await sandboxStore.all()) {
        if (state === 'active') parts.sandboxChanged(thread_id)
      }
      await parts.recoverLifecycle()
      await known.rewinds.recover()
      await turns.recover()
      known.runs.start()
      parts.policyLoop.start()
    },
    stop: async () => {
      known.stopping.abort()
      known.previews.front.close()
      known.socketFront.close()
      known.sharing.close()
      await known.runs.stop()
      await turns.close()
      await parts.snapshots.idle()
      await known.connectionParts[Symbol.asyncDispose]()
      await parts.policyLoop.stop()
      await parts.reports.stop()
      await parts.serviceWatch.stop()
      await parts.gitFollow.stop()
      await parts.filesWatch.stop()
      await operations.stop()
      await reconciler?.[Symbol.asyncDispose]()
    },
  }
}
