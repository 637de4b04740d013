import type { FetchLike } from '@modelcontextprotocol/client'
import type { Logger } from '@threadbox/telemetry'
import type { Audit, LeavingPart } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api } from '../../platform/http/api.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import { type AllowedAddresses, allowedAddressesOf } from '../../platform/outbound/addresses.logic.ts'
import { makeGuardedFetch } from '../../platform/outbound/guarded-fetch.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { HostClient } from '../../sandboxes/public.ts'
import { type AgentConnections, type ConnectionScope, makeAgentConnections } from './agent-connections.ts'
import { connectionRoutes } from './connections.routes.ts'
import { type ConnectionStore, makeConnectionStore } from './connections.store.ts'
import type { ConnectionTables } from './connections.table.ts'
import { type ConnectionPeople, type Connections, makeConnections } from './connections.usecases.ts'
import { makeLeavingConnections } from './leaving-connections.ts'
import { makeOAuthLogins } from './oauth-logins.ts'
import { openState, secretsOf } from './oauth-state.logic.ts'
import { makeOAuthTokens } from './oauth-tokens.ts'
import { programSecrets } from './program.logic.ts'
import { makeProgramChecks } from './program-looks.ts'
import { makeProgramStore } from './programs.store.ts'
import type { ProgramTables } from './programs.table.ts'
import { makePrograms, type Programs, type ProgramsDependencies } from './programs.ts'
import { makeSessions } from './sessions.ts'

/** Settings for connections that administrators set. */
export type ConnectionSettings = {
  connectionsAllow: string
  connectionSeconds: number
  connectionAnswerMebibytes: number
  connectionPrograms: number
  connectionProgramMebibytes: number
}

/** How long connecting to a server can take. */
const connectTimeoutMs = 10_000

export type ConnectionsFeature = AsyncDisposable & {
  connections: Connections
  agentConnections: AgentConnections
  programs: Programs
  rows: Pick<ConnectionStore, 'list' | 'namesIn'>
  leaving: LeavingPart
  /** All secrets of the connections, unsealed. */
  secrets(): Promise<string[]>
  routes: Api
}

export function makeConnectionsFeature(ports: {
  open: OpenDatabase
  host: HostClient
  hashKeyOf: (sandboxId: string) => string
  egressFor: ProgramsDependencies['egressFor']
  operations: Operations
  people: ConnectionPeople
  placeOf: (threadId: string) => Promise<ConnectionScope | undefined>
  originOf: (host: string) => string
  secretBox: SecretBox
  settings: ConnectionSettings & { version: string }
  audit: Audit
  system: System
  logger: Logger
}): ConnectionsFeature {
  const { people, secretBox, settings, audit, system, logger } = ports
  const { connectionSeconds: timeoutSeconds, connectionAnswerMebibytes: maxAnswerMebibytes, version } = settings
  const { store, programStore, programs } = makeStored(ports)
  const { fetch, fetchOnce, allowed } = makeFetches(settings)
  const sessions = makeSessions({ fetch, programs, timeoutSeconds, maxAnswerMebibytes, version, now: system.now })
  const oauthTokens = makeOAuthTokens({ store, secretBox, fetch: fetchOnce, now: system.now })
  const logins = makeOAuthLogins({ store, secretBox, fetch: fetchOnce, allowed, timeoutSeconds, system })
  const checkDependencies = { store, secretBox, oauthTokens, sessions, now: system.now, timeoutSeconds }
  const programChecks = makeProgramChecks({ ...checkDependencies, programs, logger })
  const connections = makeConnections({
    store,
    people,
    secretBox,
    oauthTokens,
    logins,
    sessions,
    programs: { programs, store: programStore, checks: programChecks },
    limits: { maxPrograms: settings.connectionPrograms, allowed, timeoutSeconds },
    audit,
    system,
  })
  const { access } = people
  return {
    connections,
    programs,
    agentConnections: makeAgentConnections({
      store,
      access,
      audit,
      sessions,
      secretBox,
      oauthTokens,
      placeOf: ports.placeOf,
      now: system.now,
    }),
    rows: store,
    leaving: makeLeavingConnections({ store, sessions, programs }),
    secrets: () => secretsIn(store, secretBox),
    routes: connectionRoutes({ connections, originOf: ports.originOf }),
    [Symbol.asyncDispose]: async () => {
      await programChecks[Symbol.asyncDispose]()
      await sessions.close()
      await programs[Symbol.asyncDispose]()
      await fetch[Symbol.asyncDispose]()
    },
  }
}

function makeStored(ports: {
  open: OpenDatabase
  host: HostClient
  hashKeyOf: (sandboxId: string) => string
  egressFor: ProgramsDependencies['egressFor']
  operations: Operations
  settings: ConnectionSettings
  system: System
  logger: Logger
}) {
  const { open, host, hashKeyOf, egressFor, operations, settings, system, logger } = ports
  const programStore = makeProgramStore(tablesOf<ProgramTables & ConnectionTables>(open.database))
  const memoryMebibytes = settings.connectionProgramMebibytes
  return {
    store: makeConnectionStore(tablesOf<ConnectionTables>(open.database)),
    programStore,
    programs: makePrograms({
      store: programStore,
      host,
      operations,
      hashKeyOf,
      egressFor,
      memoryMebibytes,
      system,
      logger,
    }),
  }
}

function makeFetches(settings: ConnectionSettings) {
  const allowed: AllowedAddresses = allowedAddressesOf(settings.connectionsAllow)
  const timeoutMs = settings.connectionSeconds * 1000
  const fetch = makeGuardedFetch({
    allowed,
    maxAnswerMebibytes: settings.connectionAnswerMebibytes,
    connectTimeoutMs,
    headersTimeoutMs: timeoutMs,
  })
  const guarded = fetch.fetchFor({ onTooLarge: () => undefined })
  /** One request of a sign-in. A timeout also ends the reading of its response. */
  const fetchOnce: FetchLike = (input, init) => {
    const limit = AbortSignal.timeout(timeoutMs)
    return guarded(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, limit]) : limit })
  }
  return { allowed, fetch, fetchOnce }
}

async function secretsIn(store: ConnectionStore, box: SecretBox): Promise<string[]> {
  return (await store.secrets()).flatMap(({ auth_kind, sealed_secret }) => {
    if (sealed_secret === null) return []
    if (auth_kind === 'program') return Object.values(programSecrets({ sealed_secret }, box))
    return auth_kind === 'oauth' ? secretsOf(openState(sealed_secret, box)) : [box.open(sealed_secret)]
  })
}
