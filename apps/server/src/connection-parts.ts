import type { FetchLike } from '@modelcontextprotocol/client'
import type { Logger } from '@threadbox/telemetry'
import type { ThreadParts } from './application-parts.ts'
import type { Audit } from './people/audit/audit.ts'
import { type OpenDatabase, tablesOf } from './platform/database/database.ts'
import { type AllowedAddresses, allowedAddressesOf } from './platform/outbound/addresses.models.ts'
import { makeGuardedFetch } from './platform/outbound/guarded-fetch.ts'
import { makeSecretBox } from './platform/secrets/secret-box.ts'
import type { System } from './platform/system/system.ts'
import type { HostClient } from './sandboxes/host/host-client.ts'
import {
  type AgentConnections,
  type AgentConnectionsDependencies,
  makeAgentConnections,
} from './turns/connections/agent-connections.ts'
import { makeConnectionStore } from './turns/connections/connections.store.ts'
import type { ConnectionTables } from './turns/connections/connections.table.ts'
import {
  type Connections,
  type ConnectionsDependencies,
  makeConnections,
} from './turns/connections/connections.usecases.ts'
import { makeOAuthLogins } from './turns/connections/oauth-logins.ts'
import { makeOAuthTokens } from './turns/connections/oauth-tokens.ts'
import { makeProgramLooks } from './turns/connections/program-looks.ts'
import { makeProgramStore } from './turns/connections/programs.store.ts'
import type { ProgramTables } from './turns/connections/programs.table.ts'
import { makePrograms, type Programs, type ProgramsDependencies } from './turns/connections/programs.ts'
import { makeSessions } from './turns/connections/sessions.ts'

/** What an administrator decides about connections. */
export type ConnectionSettings = {
  connectionsAllow: string
  connectionSeconds: number
  connectionAnswerMebibytes: number
  connectionPrograms: number
  connectionProgramMebibytes: number
}

/** How long a server may take to take a connection. */
const connectTimeoutMs = 10_000

export type ConnectionParts = AsyncDisposable & {
  connections: Connections
  agentConnections: AgentConnections
  programs: Programs
  /** The host can be reached from now on. */
  hostIsBack(): void
}

export function makeConnectionParts(
  options: ConnectionSettings & { open: OpenDatabase; version: string } & Pick<
      ConnectionsDependencies,
      'access' | 'workspacesOf' | 'requireWorkspace' | 'secretBox' | 'audit' | 'system'
    > &
    Pick<AgentConnectionsDependencies, 'placeOf'> &
    Pick<ProgramsDependencies, 'host' | 'operations' | 'hashKeyOf' | 'logger'>,
): ConnectionParts {
  const { system, connectionSeconds: timeoutSeconds } = options
  const allowed: AllowedAddresses = allowedAddressesOf(options.connectionsAllow)
  const fetch = makeGuardedFetch({
    allowed,
    maxAnswerMebibytes: options.connectionAnswerMebibytes,
    connectTimeoutMs,
    silenceMs: timeoutSeconds * 1000,
  })
  const store = makeConnectionStore(tablesOf<ConnectionTables>(options.open.database))
  const programStore = makeProgramStore(tablesOf<ProgramTables & ConnectionTables>(options.open.database))
  const programs = makePrograms({
    ...options,
    store: programStore,
    memoryMebibytes: options.connectionProgramMebibytes,
  })
  const maxAnswerMebibytes = options.connectionAnswerMebibytes
  const { secretBox, version } = options
  const sessions = makeSessions({ fetch, programs, timeoutSeconds, maxAnswerMebibytes, version, now: system.now })
  const guarded = fetch.fetchFor({ onTooLarge: () => undefined })
  /** One request of a login: it ends by itself, with what was read of its answer. */
  const fetchOnce: FetchLike = (input, init) => {
    const limit = AbortSignal.timeout(timeoutSeconds * 1000)
    return guarded(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit })
  }
  const oauthTokens = makeOAuthTokens({ store, secretBox, fetch: fetchOnce, now: system.now })
  const logins = makeOAuthLogins({ store, secretBox, fetch: fetchOnce, allowed, timeoutSeconds, system })
  const look = { store, secretBox, oauthTokens, sessions, now: system.now, timeoutSeconds }
  const programLooks = makeProgramLooks({ ...look, programs, logger: options.logger })
  return {
    connections: makeConnections({
      ...options,
      store,
      sessions,
      allowed,
      timeoutSeconds,
      oauthTokens,
      logins,
      programs,
      programStore,
      programLooks,
      maxPrograms: options.connectionPrograms,
    }),
    programs,
    hostIsBack: () => {
      programs.settle().catch((error: unknown) => options.logger.warn({ err: error }, 'programs were not ended yet'))
    },
    agentConnections: makeAgentConnections({ ...options, store, sessions, oauthTokens, now: system.now }),
    [Symbol.asyncDispose]: async () => {
      await programLooks[Symbol.asyncDispose]()
      await sessions.close()
      await programs[Symbol.asyncDispose]()
      await fetch[Symbol.asyncDispose]()
    },
  }
}

/** Connections of an application: who may use them is what workspaces and threads say. */
export function makeConnectionFeature(
  options: {
    open: OpenDatabase
    host: HostClient
    connectionSettings: ConnectionSettings
    masterKey: Uint8Array
    version: string
    system: System
    logger: Logger
  },
  known: {
    parts: Pick<ThreadParts, 'access' | 'workspaces' | 'threadStore' | 'setups' | 'operations' | 'hashKeyOf'>
    audit: Audit
  },
): ConnectionParts {
  const { access, workspaces, threadStore, setups, operations, hashKeyOf } = known.parts
  return makeConnectionParts({
    ...options,
    ...options.connectionSettings,
    access,
    audit: known.audit,
    operations,
    hashKeyOf,
    secretBox: makeSecretBox(options.masterKey),
    workspacesOf: async (userId) => (await workspaces.list(userId)).workspaces.map(({ id }) => id),
    requireWorkspace: async (userId, workspaceId) => workspaces.requireManaged(userId, workspaceId),
    placeOf: async (threadId) => {
      const row = await threadStore.findAny(threadId)
      if (row === undefined || row.deleted_at !== null) return undefined
      const setup = await setups.of(row)
      return { userId: row.user_id, workspaceId: row.workspace_id, only: setup?.connectionIds ?? null }
    },
  })
}
