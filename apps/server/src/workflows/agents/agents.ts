import type { RescueRequest } from '@threadbox/protocol/guest'
import type { UserEvent } from '@threadbox/protocol/public'
import type { Audit, LeavingPart, Settings, UserHub } from '../../people/public.ts'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Api } from '../../platform/http/api.ts'
import type { Operations } from '../../platform/operations/operations.ts'
import type { SecretsInUse } from '../../platform/secrets/secrets-in-use.ts'
import type { System } from '../../platform/system/system.ts'
import type { BeginAs, HostClient, SandboxReads, ServiceRow } from '../../sandboxes/public.ts'
import type {
  Access,
  Home,
  NetworkPolicies,
  ThreadDrafts,
  ThreadLog,
  ThreadRows,
  ThreadSecretGrants,
  ThreadSetups,
  Threads,
  Workspaces,
} from '../../threads/public.ts'
import type { ConnectionRow, ModelConnectionRow, Skills, Snapshots, Turns } from '../../turns/public.ts'
import { makeAgentDraftStore } from './agent-drafts.store.ts'
import type { AgentDraftTables } from './agent-drafts.table.ts'
import { type AgentDrafts, makeAgentDrafts } from './agent-drafts.usecases.ts'
import { type AgentFiles, makeAgentFiles } from './agent-files.usecases.ts'
import { agentNetworkRoutes } from './agent-network.routes.ts'
import { agentRoutes } from './agents.routes.ts'
import { makeAgentStore } from './agents.store.ts'
import type { AgentTables } from './agents.table.ts'
import { type Agents, makeAgents } from './agents.usecases.ts'
import { type DraftPlaceDependencies, draftPlaceOf, modelFor } from './draft-place.ts'
import { makeEnvironmentStore } from './environments.store.ts'
import type { EnvironmentTables } from './environments.table.ts'
import { type Environments, makeEnvironments } from './environments.usecases.ts'
import { type Installs, makeInstalls } from './installs.usecases.ts'
import { makeLeavingAgents } from './leaving-agents.ts'
import { startEnvironment } from './start-environment.ts'

export type AgentsFeature = {
  agents: Agents
  drafts: AgentDrafts
  environments: Environments
  installs: Installs
  leaving: LeavingPart
  files: AgentFiles
  routes: Api[]
}

type AgentPeople = { audit: Audit; settings: Settings; userHub: UserHub }

type AgentThreads = {
  access: Access
  rows: ThreadRows
  log: ThreadLog
  setups: ThreadSetups
  threads: Threads
  threadDrafts: ThreadDrafts
  network: NetworkPolicies
  secrets: { grants: ThreadSecretGrants }
  workspaces: Workspaces
  notifyMembers(home: Home, event: UserEvent): Promise<void>
}

type AgentSandboxes = SandboxReads & {
  host: HostClient
  hashKeyOf(sandboxId: string): string
  budgets(): Promise<RescueRequest>
  servicesOf(threadId: string): Promise<ServiceRow[]>
  beginAs: BeginAs
  /** Called when the state of a thread’s sandbox has changed. */
  changed(threadId: string): void
}

type AgentTurns = {
  turns: Turns
  snapshots: Snapshots
  skills: Skills
  modelRows(): Promise<ModelConnectionRow[]>
  connectionRows: { list(userId: string, workspaceIds: readonly string[]): Promise<ConnectionRow[]> }
}

type AgentPorts = {
  open: OpenDatabase
  blobs: BlobStore
  operations: Operations
  secrets: Pick<SecretsInUse, 'inUse'>
  system: System
  people: AgentPeople
  threads: AgentThreads
  sandboxes: AgentSandboxes
  turns: AgentTurns
}

export function makeAgentsFeature(ports: AgentPorts): AgentsFeature {
  const { open, system, secrets, people, threads, sandboxes, turns } = ports
  const environmentStore = makeEnvironmentStore(
    tablesOf<EnvironmentTables & AgentTables & AgentDraftTables>(open.database),
  )
  const environmentRows = environmentStore.list
  const environments = makeEnvironments({
    store: environmentStore,
    host: sandboxes.host,
    system,
    sandboxes,
    thread: {
      servicesOf: sandboxes.servicesOf,
      isReached: async (userId, threadId) =>
        threads.access.reaches(userId, (await threads.rows.findAny(threadId))?.workspace_id ?? null),
    },
    turns: turns.turns,
    operations: ports.operations,
    snapshots: turns.snapshots,
    hashKeyOf: sandboxes.hashKeyOf,
    budgets: sandboxes.budgets,
    storedSecrets: secrets.inUse,
    defaultLimits: people.settings.limits,
  })
  const workspaceIdsOf = async (userId: string) =>
    (await threads.workspaces.list(userId)).workspaces.map(({ id }) => id)
  const connectionsOf = async (userId: string) => {
    const rows = await turns.connectionRows.list(userId, await workspaceIdsOf(userId))
    return rows.filter((row) => threads.access.reaches(userId, row.workspace_id))
  }
  const store = makeAgentStore(tablesOf<AgentTables>(open.database))
  const onChanged = (home: Home) => threads.notifyMembers(home, { type: 'agents-updated' })
  const agents: Agents = makeAgents({
    isDraft: (userId, draftId) => drafts.isDraft(userId, draftId),
    store,
    threadDrafts: threads.threadDrafts,
    setups: threads.setups,
    network: threads.network,
    secrets: threads.secrets.grants,
    sourceOf: async (environmentId) => (await environmentRows([environmentId])).get(environmentId)?.thread_id,
    access: threads.access,
    audit: people.audit,
    system,
    environments,
    environmentRows,
    workspaceIdsOf,
    startEnvironment: (order) =>
      startEnvironment({ environments: environmentStore, beginAs: sandboxes.beginAs }, order),
    onSandboxChanged: sandboxes.changed,
    requireWorkspace: threads.workspaces.requireOpen,
    skillIdsOf: async (userId) => (await turns.skills.list(userId)).skills.map(({ id }) => id),
    connectionIdsOf: async (userId) => (await connectionsOf(userId)).map(({ id }) => id),
    onChanged,
  })
  const agentFiles = makeAgentFiles({
    agents,
    environments,
    environmentRows,
    skills: turns.skills,
    host: sandboxes.host,
    system,
    models: turns.modelRows,
    connectionsOf,
    storedSecrets: secrets.inUse,
  })
  const drafts = makeDrafts(ports, { agents, environments, environmentRows, connectionsOf, workspaceIdsOf })
  const installs = makeInstalls({ open, log: threads.log, rows: threads.rows, system, userHub: people.userHub })
  return {
    agents,
    drafts,
    environments,
    installs,
    files: agentFiles,
    leaving: makeLeavingAgents({ store, environmentStore, environments, drafts, onChanged }),
    routes: [
      agentRoutes({ agents, agentDrafts: drafts, agentFiles, environments, installs, threads: threads.threads }),
      agentNetworkRoutes({ network: threads.network, agents }),
    ],
  }
}

function makeDrafts(
  { open, blobs, operations, system, people, threads, turns }: AgentPorts,
  parts: { agents: Agents; environments: Environments; workspaceIdsOf: (userId: string) => Promise<string[]> } & Pick<
    DraftPlaceDependencies,
    'environmentRows' | 'connectionsOf'
  >,
): AgentDrafts {
  const { agents, environments, environmentRows, connectionsOf, workspaceIdsOf } = parts
  const { skills, modelRows: models } = turns
  return makeAgentDrafts({
    store: makeAgentDraftStore(tablesOf<AgentDraftTables>(open.database)),
    access: threads.access,
    requireWorkspace: threads.workspaces.requireOpen,
    workspaceIdsOf,
    accepting: { agents, environments, skills, modelFor: (file) => modelFor({ models }, file) },
    environments,
    placeOf: (draft) => draftPlaceOf({ agents, environmentRows, skills, models, connectionsOf }, draft),
    blobs,
    operations,
    audit: people.audit,
    system,
    onChanged: (home) => threads.notifyMembers(home, { type: 'agents-updated' }),
  })
}
