import type { WorkspaceAction } from '@threadbox/domain'
import type {
  Connection,
  ConnectionAuth,
  ConnectionLogin,
  CreateConnection,
  FinishLogin,
  ToolApproval,
  UpdateConnection,
} from '@threadbox/protocol/public'
import { type Audit, type AuditRecord, auditChange } from '../../people/public.ts'
import { isUniqueViolation } from '../../platform/database/database.ts'
import { type AllowedAddresses, parseAllowedUrl } from '../../platform/outbound/addresses.logic.ts'
import { connectionAddressInvalid } from '../../platform/outbound/outbound.errors.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { Access } from '../../threads/public.ts'
import { slugOf } from './agent-names.logic.ts'
import { approvalsOf, auditStateOf } from './connection-audit.logic.ts'
import {
  connectionHasNoLogin,
  connectionKindOther,
  connectionLimit,
  connectionLoginFailed,
  connectionNameTaken,
  connectionNotFound,
  connectionProgramLimit,
  connectionSecretMissing,
  connectionToolNotFound,
} from './connections.errors.ts'
import { presentConnection } from './connections.presenter.ts'
import type { ConnectionColumns, ConnectionStore } from './connections.store.ts'
import type { ConnectionRow } from './connections.table.ts'
import type { OAuthLogins } from './oauth-logins.ts'
import { newOAuthState, sealState } from './oauth-state.logic.ts'
import type { OAuthTokens } from './oauth-tokens.ts'
import { problemOf } from './problem-words.logic.ts'
import { isSameProgram, programColumns, programOf } from './program.logic.ts'
import type { ProgramChecks } from './program-looks.ts'
import type { ProgramStore } from './programs.store.ts'
import type { Programs } from './programs.ts'
import { checkServer } from './server-look.ts'
import type { Sessions } from './sessions.ts'
import type { KnownTool } from './tool-list.logic.ts'

/** Every method throws `connection.not-found`, also for a connection that the user has no access to. */
export type Connections = {
  /** The user's own connections and those of their workspaces. */
  list(userId: string): Promise<Connection[]>
  get(userId: string, id: string): Promise<Connection>
  /**
   * Stores a connection and lists its server's tools. If the server can't be reached, the connection is stored with the
   * reason. A program starts in the background: until then the connection is `starting`. Throws
   * `connection.address-invalid`, `connection.address-refused`, `connection.name-taken`, `connection.limit`,
   * `connection.program-limit`, `workspace.not-found`.
   */
  create(userId: string, request: CreateConnection, signal: AbortSignal): Promise<Connection>
  /**
   * Throws as `create` does, `connection.kind-other` and `connection.secret-missing`. With another address, token or
   * program the server's tools are listed again.
   */
  update(userId: string, id: string, request: UpdateConnection, signal: AbortSignal): Promise<Connection>
  /** Lists the server's tools again. */
  test(userId: string, id: string, signal: AbortSignal): Promise<Connection>
  /** Throws `connection.tool-not-found` without changing any tool. */
  approve(userId: string, id: string, approvals: Readonly<Record<string, ToolApproval>>): Promise<Connection>
  /**
   * Starts a sign-in in the browser that returns to `redirectUrl`. Throws `connection.has-no-login`,
   * `connection.login-failed` and the servers' failures.
   */
  startLogin(userId: string, id: string, redirectUrl: string): Promise<ConnectionLogin>
  /**
   * Completes a sign-in that this user started, once, and lists the server's tools. Throws `connection.login-failed`.
   */
  finishLogin(userId: string, answer: FinishLogin, signal: AbortSignal): Promise<Connection>
  delete(userId: string, id: string): Promise<void>
}

/** Decides who can use and change which connections. */
export type ConnectionPeople = {
  access: Pick<Access, 'may' | 'require' | 'reaches'>
  /** The workspaces in which this user has a role. */
  workspacesOf(userId: string): Promise<string[]>
  /** Throws `workspace.not-found` unless the user can manage the workspace. */
  requireWorkspace(userId: string, workspaceId: string): Promise<void>
}

export type ConnectionsDependencies = {
  store: ConnectionStore
  people: ConnectionPeople
  secretBox: SecretBox
  oauthTokens: OAuthTokens
  logins: OAuthLogins
  sessions: Sessions
  programs: ConnectionPrograms
  limits: ConnectionLimits
  audit: Audit
  system: System
}

type ConnectionPrograms = { programs: Programs; store: ProgramStore; checks: ProgramChecks }

type ConnectionLimits = {
  /** Limit of connections with a program per user. */
  maxPrograms: number
  allowed: AllowedAddresses
  timeoutSeconds: number
}

/** Each connection's server is contacted for its tools, and each tool takes space in every request to a model. */
const maxConnections = 50

function subjectOf(row: ConnectionRow) {
  return { workspaceId: row.workspace_id, ownerId: row.user_id, isPrivate: false }
}

export function makeConnections(dependencies: ConnectionsDependencies): Connections {
  const { store, people, sessions, audit, system } = dependencies
  const { access } = people
  const { programs, checks } = dependencies.programs
  const { timeoutSeconds } = dependencies.limits
  const checkDependencies = { ...dependencies, timeoutSeconds, now: system.now }
  const open = async (userId: string, id: string, action: WorkspaceAction = 'manage') => {
    const row = await store.find(id)
    if (row === undefined) throw connectionNotFound({})
    await access.require(userId, action, { subject: subjectOf(row), notFound: () => connectionNotFound({}) })
    return row
  }
  const present = async (id: string) => {
    const row = await store.find(id)
    if (row === undefined) throw connectionNotFound({})
    return presentConnection(row, { tools: (await store.tools([id])).get(id) ?? [], phase: programs.phase(id) })
  }
  const startCheck = async (row: ConnectionRow, signal: AbortSignal) => {
    if (row.program_json === null) await checkServer(checkDependencies, row, signal)
    else await checks.begin(row)
  }
  const record = recorder(audit)
  const visible = (userId: string) => visibleTo(dependencies, userId)

  return {
    list: async (userId) => {
      const rows = await visible(userId)
      const tools = await store.tools(rows.map(({ id }) => id))
      return rows.map((row) =>
        presentConnection(row, { tools: tools.get(row.id) ?? [], phase: programs.phase(row.id) }),
      )
    },
    get: async (userId, id) => {
      await open(userId, id, 'read')
      return await present(id)
    },
    create: async (userId, request, signal) => {
      const workspaceId = request.workspaceId ?? null
      if (workspaceId !== null) await people.requireWorkspace(userId, workspaceId)
      const beside = (await visible(userId)).filter((row) => row.workspace_id === workspaceId)
      if (beside.length >= maxConnections) throw connectionLimit({ limit: maxConnections })
      if (request.kind === 'stdio') await requireProgramRoom(dependencies, userId)
      const row = newRow(dependencies, { userId, workspaceId, request })
      await withFreeName(request.name, () => store.insert(row))
      await record(userId, row, { action: 'connection-created', ...auditChange(null, auditStateOf(row)) })
      await startCheck(row, signal)
      return await present(row.id)
    },
    update: async (userId, id, request, signal) => {
      const row = await open(userId, id)
      const columns = changedColumns(dependencies, row, request)
      await withFreeName(request.name ?? row.name, () => store.update(id, columns))
      const changed = await open(userId, id)
      const change = auditChange(auditStateOf(row), auditStateOf(changed))
      await record(userId, changed, { action: 'connection-changed', ...change })
      if (columns.revision !== undefined || request.isEnabled === false) sessions.forget(id)
      // The previous program's disk must not be readable by the next program.
      if (columns.revision !== undefined && row.program_json !== null) await programs.erase(id)
      if (columns.revision !== undefined) await startCheck(await open(userId, id), signal)
      return await present(id)
    },
    test: async (userId, id, signal) => {
      await startCheck(await open(userId, id), signal)
      return await present(id)
    },
    approve: async (userId, id, approvals) => {
      const row = await open(userId, id)
      const change = await approveTools(store, { row, approvals })
      await record(userId, row, { action: 'connection-tools-approved', ...change })
      return await present(id)
    },
    startLogin: async (userId, id, redirectUrl) => {
      const row = await open(userId, id)
      if (row.auth_kind !== 'oauth') throw connectionHasNoLogin({})
      return await dependencies.logins.start(row, { userId, redirectUrl })
    },
    finishLogin: async (userId, answer, signal) => {
      const [id = ''] = answer.state.split('.')
      const row = await store.find(id)
      const isTheirs = row?.auth_kind === 'oauth' && (await access.may(userId, 'manage', subjectOf(row)))
      if (row === undefined || !isTheirs) throw connectionLoginFailed(problemOf('connection-removed'))
      await dependencies.logins.finish(row, { userId, answer })
      sessions.forget(id)
      await record(userId, row, { action: 'connection-logged-in' })
      await checkServer(checkDependencies, await open(userId, id), signal)
      return await present(id)
    },
    delete: async (userId, id) => {
      const row = await open(userId, id)
      await store.delete(id)
      sessions.forget(id)
      await programs.erase(id)
      await record(userId, row, { action: 'connection-deleted', ...auditChange(auditStateOf(row), null) })
    },
  }
}

async function visibleTo({ store, people }: ConnectionsDependencies, userId: string): Promise<ConnectionRow[]> {
  const rows = await store.list(userId, await people.workspacesOf(userId))
  return rows.filter((row) => people.access.reaches(userId, row.workspace_id))
}

/** Returns what changed, for the audit log. Throws `connection.tool-not-found`. */
async function approveTools(
  store: ConnectionStore,
  { row, approvals }: { row: ConnectionRow; approvals: Readonly<Record<string, ToolApproval>> },
) {
  const present = async () => approvalsOf((await store.tools([row.id])).get(row.id) ?? [])
  const before = await present()
  await store.changeTools(row, (known) => ({ tools: approvedTools(known, approvals) }))
  return auditChange(before, await present())
}

/** Throws `connection.tool-not-found`. */
function approvedTools(known: readonly KnownTool[], approvals: Readonly<Record<string, ToolApproval>>): KnownTool[] {
  const names = new Set(known.filter((tool) => tool.isListed).map((tool) => tool.name))
  const unknown = Object.keys(approvals).find((name) => !names.has(name))
  if (unknown !== undefined) throw connectionToolNotFound({ tool: unknown })
  return known.map((tool) => {
    const approval = Object.hasOwn(approvals, tool.name) ? approvals[tool.name] : undefined
    return approval === undefined ? tool : { ...tool, approval, isChanged: false }
  })
}

function recorder(audit: Audit) {
  return (
    userId: string,
    { id, name }: Pick<ConnectionRow, 'id' | 'name'>,
    event: Omit<AuditRecord, 'userId' | 'subject' | 'action' | 'details'> & { action: ConnectionAudit },
  ) => audit.record({ userId, ...event, subject: id, details: { name } })
}

type ConnectionAudit =
  | 'connection-created'
  | 'connection-changed'
  | 'connection-tools-approved'
  | 'connection-logged-in'
  | 'connection-deleted'

async function requireProgramRoom(
  { limits: { maxPrograms: limit }, programs }: ConnectionsDependencies,
  userId: string,
): Promise<void> {
  if ((await programs.store.countOf(userId)) >= limit) throw connectionProgramLimit({ limit })
}

function newRow(
  { limits: { allowed }, system, ...dependencies }: ConnectionsDependencies,
  { userId, workspaceId, request }: { userId: string; workspaceId: string | null; request: CreateConnection },
): ConnectionRow {
  const server =
    request.kind === 'stdio'
      ? { url: '', ...programColumns(request, dependencies.secretBox) }
      : {
          url: parseAllowedUrl(request.url, allowed).href,
          program_json: null,
          ...secretColumns(dependencies, request.auth),
        }
  return {
    id: system.newId('connection'),
    user_id: userId,
    workspace_id: workspaceId,
    name: request.name,
    slug: slugOf(request.name),
    preset: request.preset ?? null,
    ...server,
    is_enabled: 1,
    revision: 1,
    status: 'unchecked',
    failure_json: null,
    server_json: null,
    further_tools: 0,
    checked_at: null,
    created_at: system.now(),
  }
}

function secretColumns(
  { secretBox }: Pick<ConnectionsDependencies, 'secretBox'>,
  auth: ConnectionAuth,
): Pick<ConnectionRow, 'auth_kind' | 'header_name' | 'sealed_secret'> {
  switch (auth.kind) {
    case 'none':
      return { auth_kind: auth.kind, header_name: null, sealed_secret: null }
    case 'bearer':
      return { auth_kind: auth.kind, header_name: null, sealed_secret: secretBox.seal(auth.token) }
    case 'header':
      return { auth_kind: auth.kind, header_name: auth.header, sealed_secret: secretBox.seal(auth.value) }
    case 'oauth':
      return { auth_kind: auth.kind, header_name: null, sealed_secret: sealState(newOAuthState(auth), secretBox) }
  }
}

function changedColumns(
  dependencies: ConnectionsDependencies,
  row: ConnectionRow,
  request: UpdateConnection,
): ConnectionColumns {
  const isProgram = row.program_json !== null
  const others = isProgram ? (['url', 'auth'] as const) : (['command', 'args', 'environment'] as const)
  const field = others.find((name) => request[name] !== undefined)
  if (field !== undefined) throw connectionKindOther({ field })
  const server = isProgram ? changedProgram(dependencies, row, request) : changedAddress(dependencies, row, request)
  return {
    ...(request.name === undefined ? { name: row.name } : { name: request.name, slug: slugOf(request.name) }),
    ...(request.isEnabled === undefined ? {} : { is_enabled: Number(request.isEnabled) }),
    ...(server === undefined ? {} : { ...server, revision: row.revision + 1, status: 'unchecked' }),
  }
}

/** Returns undefined when the address doesn't change. */
function changedAddress(
  dependencies: ConnectionsDependencies,
  row: ConnectionRow,
  request: UpdateConnection,
): ConnectionColumns | undefined {
  const url = request.url === undefined ? row.url : parseAllowedUrl(request.url, dependencies.limits.allowed).href
  const isMoved = url !== row.url
  if (isMoved && request.auth === undefined && row.sealed_secret !== null) {
    throw connectionAddressInvalid({
      problem: 'the saved token belongs to the previous URL. Enter a token for the new one.',
    })
  }
  if (!isMoved && request.auth === undefined) return undefined
  return { url, ...(request.auth === undefined ? {} : secretColumns(dependencies, request.auth)) }
}

/**
 * Returns undefined when the program doesn't change. Another program could disclose the secrets, so it gets only those
 * that are entered with it.
 */
function changedProgram(
  { secretBox }: ConnectionsDependencies,
  row: ConnectionRow,
  request: UpdateConnection,
): ConnectionColumns | undefined {
  const program = programOf(row)
  if (program === null || isSameProgram(program, request)) return undefined
  const { command = program.command, args = program.args, environment } = request
  if (environment === undefined && row.sealed_secret !== null) throw connectionSecretMissing({})
  const kept = program.environment.map(({ name, value, isSecret }) => ({ name, value: value ?? '', isSecret }))
  return programColumns({ command, args, environment: environment ?? kept }, secretBox)
}

async function withFreeName(name: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (isUniqueViolation(error)) throw connectionNameTaken({ name })
    throw error
  }
}
