import type { WorkspaceAction } from '@threadbox/domain'
import {
  type Agent,
  type AgentDetails,
  type Agents as AgentsView,
  type CreateAgent,
  maxAgentsPerHome,
  maxAgentVersions,
  type UpdateAgent,
} from '@threadbox/protocol/public'
import type { Audit } from '../../people/public.ts'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { System } from '../../platform/system/system.ts'
import { type Access, nameKey, workspaceNotFound } from '../../threads/public.ts'
import { connectionNotFound, skillNotFound } from '../../turns/public.ts'
import {
  agentLimitReached,
  agentNameTaken,
  agentNotFound,
  agentReviewRequired,
  agentVersionCurrent,
  agentVersionLimitReached,
  agentVersionNotFound,
} from './agents.errors.ts'
import { presentAgent, presentVersion } from './agents.presenter.ts'
import type { AgentStore, Alongside } from './agents.store.ts'
import type { AgentRow, AgentVersionRow } from './agents.table.ts'
import type { EnvironmentRow } from './environments.table.ts'
import type { Environments } from './environments.usecases.ts'
import { type StartDependencies, type StartThread, startThread } from './start-thread.ts'

/**
 * Agents of users and workspaces. Every method throws `agent.not-found`, also for an agent that the user cannot access.
 * Methods that take skills, connections or an environment also throw `skill.not-found`, `connection.not-found` and
 * `environment.not-found`.
 */
export type Agents = {
  list(userId: string): Promise<AgentsView>
  get(userId: string, agentId: string): Promise<AgentDetails>
  /** Throws `agent.name-taken`, `agent.limit-reached`, `workspace.not-found` and `workspace.archived`. */
  create(userId: string, request: CreateAgent, from?: AcceptedFile): Promise<Agent>
  /** Throws `agent.name-taken` and `agent.version-limit-reached`. */
  update(userId: string, agentId: string, request: UpdateAgent): Promise<Agent>
  /** Throws `agent.version-not-found`. */
  setVersion(userId: string, agentId: string, version: number): Promise<Agent>
  delete(userId: string, agentId: string): Promise<Agent>
  /** Throws `agent.version-not-found` and `agent.version-current`. */
  deleteVersion(userId: string, agentId: string, version: number): Promise<AgentDetails>
  /**
   * Returns the version that a thread would start from; null means the current one. Throws `agent.not-found` unless the
   * user may do `action` with the agent, and `agent.version-not-found`.
   */
  resolve(userId: string, wanted: WantedVersion): Promise<{ name: string; version: number }>
  /** Returns the rows of an agent and of one of its versions, by default the current one. Throws as `resolve`. */
  choose(userId: string, wanted: WantedVersion): Promise<{ agent: AgentRow; version: AgentVersionRow }>
  /** The IDs of all connections that the user may use now. */
  usableConnections(userId: string): Promise<string[]>
  /**
   * Starts a thread for a user with access to the agent. Throws `agent.version-not-found`, `workspace.archived`. With a
   * `threadId` the order can be repeated after a crash: it creates one thread with this ID, never two.
   */
  startThread(order: StartThread): Promise<{ threadId: string; version: number }>
}

/** The imported file that an agent is made of: `close` ends its draft, in the transaction that adds the agent. */
export type AcceptedFile = { id: string; sha256: string; close: Alongside }

type WantedVersion = { agentId: string; version: number | null; action: WorkspaceAction }

export type AgentsDependencies = StartDependencies & {
  store: AgentStore
  access: Access
  workspaceIdsOf: (userId: string) => Promise<string[]>
  /** Throws unless the workspace exists and the user may add to it. */
  requireWorkspace: (userId: string, workspaceId: string) => Promise<void>
  /** The skills and connections that this user may use. */
  skillIdsOf: (userId: string) => Promise<string[]>
  connectionIdsOf: (userId: string) => Promise<string[]>
  /** Whether a draft of an imported agent has this ID, and the user may review it. */
  isDraft: (userId: string, draftId: string) => Promise<boolean>
  environments: Pick<Environments, 'prepare' | 'keep' | 'sweep'>
  environmentRows: (ids: readonly string[]) => Promise<ReadonlyMap<string, EnvironmentRow>>
  audit: Audit
  system: System
  /** Called when the agents of this user or workspace have changed. */
  onChanged: (home: { userId: string; workspaceId: string | null }) => Promise<void>
}

export function makeAgents(dependencies: AgentsDependencies): Agents {
  const { store, access, audit, system } = dependencies
  const open = async (userId: string, agentId: string, action: WorkspaceAction = 'change') => {
    const row = await store.find(agentId)
    if (row === undefined && (await dependencies.isDraft(userId, agentId))) throw agentReviewRequired({})
    const subject = { workspaceId: row?.workspace_id ?? null, ownerId: row?.owner_id ?? '', isPrivate: false }
    if (row === undefined) throw agentNotFound({})
    await access.require(userId, action, { subject, notFound: () => agentNotFound({}) })
    return row
  }
  const choose = async (userId: string, { agentId, version: wanted, action }: WantedVersion) => {
    const agent = await open(userId, agentId, action)
    const version = await store.version(agent.id, wanted ?? agent.current_version)
    if (version === undefined) throw agentVersionNotFound({})
    return { agent, version }
  }
  const environmentsOf = (versions: readonly AgentVersionRow[]) =>
    dependencies.environmentRows(versions.flatMap(({ environment_id }) => environment_id ?? []))
  const present = async (agentId: string) => {
    const agent = await store.find(agentId)
    const current = agent && (await store.version(agentId, agent.current_version))
    if (agent === undefined || current === undefined) throw agentNotFound({})
    return presentAgent({ agent, current }, await environmentsOf([current]))
  }
  const details = async (agentId: string) => {
    const versions = await store.versions(agentId)
    const environments = await environmentsOf(versions)
    return { ...(await present(agentId)), versions: versions.map((row) => presentVersion(row, environments)) }
  }
  const changed = async (userId: string, row: AgentRow, action: string) => {
    await audit.record({ userId, action, subject: row.id, details: { name: row.name } })
    await dependencies.onChanged({ userId: row.owner_id, workspaceId: row.workspace_id })
  }
  return {
    list: async (userId) => {
      const all = await store.list([userId, ...(await dependencies.workspaceIdsOf(userId))])
      const rows = all.filter(({ agent }) => access.reaches(userId, agent.workspace_id))
      const environments = await environmentsOf(rows.map(({ current }) => current))
      return { agents: rows.map((row) => presentAgent(row, environments)) }
    },
    get: async (userId, agentId) => details((await open(userId, agentId, 'read')).id),
    create: async (userId, request, from) => {
      const row = await create(dependencies, { userId, request, from })
      await changed(userId, row, 'agent-added')
      return await present(row.id)
    },
    update: async (userId, agentId, request) => {
      const row = await open(userId, agentId)
      await update(dependencies, { userId, row, request })
      await changed(userId, row, 'agent-changed')
      return await present(agentId)
    },
    setVersion: async (userId, agentId, version) => {
      const row = await open(userId, agentId)
      if (!(await store.setCurrent(agentId, version, system.now()))) throw agentVersionNotFound({})
      await changed(userId, row, 'agent-changed')
      return await present(agentId)
    },
    delete: async (userId, agentId) => {
      const row = await open(userId, agentId)
      const last = await present(agentId)
      await store.remove(agentId)
      await dependencies.environments.sweep()
      await changed(userId, row, 'agent-deleted')
      return last
    },
    deleteVersion: async (userId, agentId, version) => {
      const row = await open(userId, agentId)
      if ((await store.version(agentId, version)) === undefined) throw agentVersionNotFound({})
      if (!(await store.removeVersion(agentId, version))) throw agentVersionCurrent({})
      await dependencies.environments.sweep()
      await changed(userId, row, 'agent-changed')
      return await details(agentId)
    },
    choose,
    usableConnections: (userId) => dependencies.connectionIdsOf(userId),
    resolve: async (userId, wanted) => {
      const { agent, version } = await choose(userId, wanted)
      return { name: agent.name, version: version.version }
    },
    startThread: async (order) => {
      const { agentId, version: wanted = null } = order
      const { agent, version } = await choose(order.ownerId, { agentId, version: wanted, action: 'work' })
      if (agent.workspace_id !== null) await dependencies.requireWorkspace(order.ownerId, agent.workspace_id)
      const threadId = await startThread(dependencies, { agent, version, order })
      return { threadId, version: version.version }
    },
  }
}

type Setup = Omit<AgentVersionRow, 'agent_id' | 'version' | 'created_at'>

/** Returns the requested setup; fields that the request omits keep the agent’s current values. */
async function setupOf(
  dependencies: AgentsDependencies,
  change: { userId: string; request: UpdateAgent; before: Setup },
): Promise<Setup> {
  const { userId, request, before } = change
  const { instructions, modelId, skillIds, connectionIds, environment } = request
  if (skillIds != null && !isWithin(skillIds, await dependencies.skillIdsOf(userId))) throw skillNotFound({})
  if (connectionIds != null && !isWithin(connectionIds, await dependencies.connectionIdsOf(userId))) {
    throw connectionNotFound({})
  }
  if (environment != null) await dependencies.environments.prepare(userId, environment)
  return {
    instructions: instructions ?? before.instructions,
    model_id: modelId === undefined ? before.model_id : modelId,
    skill_ids_json: skillIds === undefined ? before.skill_ids_json : jsonOf(skillIds),
    connection_ids_json: connectionIds === undefined ? before.connection_ids_json : jsonOf(connectionIds),
    environment_id: environment === undefined ? before.environment_id : (environment?.id ?? null),
  }
}

function isWithin(ids: readonly string[], known: readonly string[]): boolean {
  const all = new Set(known)
  return ids.every((id) => all.has(id))
}

function jsonOf(ids: readonly string[] | null): string | null {
  return ids === null ? null : JSON.stringify([...new Set(ids)].toSorted())
}

const emptySetup: Setup = {
  instructions: '',
  model_id: null,
  skill_ids_json: null,
  connection_ids_json: null,
  environment_id: null,
}

async function create(
  dependencies: AgentsDependencies,
  { userId, request, from }: { userId: string; request: CreateAgent; from: AcceptedFile | undefined },
): Promise<AgentRow> {
  const { store, access, system } = dependencies
  const { name, description = '', workspaceId = null } = request
  if (workspaceId === null) access.requireOutside(userId)
  else {
    await dependencies.requireWorkspace(userId, workspaceId)
    const subject = { workspaceId, ownerId: userId, isPrivate: false }
    await access.require(userId, 'change', { subject, notFound: () => workspaceNotFound({}) })
  }
  const home = workspaceId ?? userId
  if ((await store.count(home)) >= maxAgentsPerHome) throw agentLimitReached({ limit: maxAgentsPerHome })
  const setup = await setupOf(dependencies, { userId, request, before: emptySetup })
  const [id, now] = [from?.id ?? system.newId('agent'), system.now()]
  const row: AgentRow = {
    id,
    owner_id: userId,
    workspace_id: workspaceId,
    home,
    name,
    name_key: nameKey(name),
    description,
    current_version: 1,
    last_version: 1,
    created_at: now,
    updated_at: now,
    file_sha256: from?.sha256 ?? null,
    accepted_by: from === undefined ? null : userId,
    accepted_at: from === undefined ? null : now,
  }
  const version = { ...setup, agent_id: id, version: 1, created_at: now }
  await store.insert(row, { version, alongside: from?.close ?? nothing }).catch((error: unknown) => {
    throw isUniqueViolation(error) ? agentNameTaken({ name }) : error
  })
  if (setup.environment_id !== null) await dependencies.environments.keep(setup.environment_id)
  return row
}

const nothing = () => Promise.resolve()

async function update(
  dependencies: AgentsDependencies,
  change: { userId: string; row: AgentRow; request: UpdateAgent },
): Promise<void> {
  const { store, system } = dependencies
  const { userId, row, request } = change
  const { name, description } = request
  const before = await store.version(row.id, row.current_version)
  if (before === undefined) throw agentNotFound({})
  const setup = await setupOf(dependencies, { userId, request, before })
  const columns = {
    ...(name === undefined ? {} : { name, name_key: nameKey(name) }),
    ...(description === undefined ? {} : { description }),
  }
  if (Object.keys(columns).length > 0) {
    await store.update(row.id, { ...columns, updated_at: system.now() }).catch((error: unknown) => {
      throw isUniqueViolation(error) ? agentNameTaken({ name: name ?? row.name }) : error
    })
  }
  const isChanged = (Object.keys(setup) as (keyof Setup)[]).some((key) => setup[key] !== before[key])
  if (!isChanged) return
  const kept = await store.versions(row.id)
  if (kept.length >= maxAgentVersions) throw agentVersionLimitReached({ limit: maxAgentVersions })
  if ((await store.addVersion(row.id, { ...setup, created_at: system.now() })) === undefined) throw agentNotFound({})
  if (setup.environment_id !== null) await dependencies.environments.keep(setup.environment_id)
}
