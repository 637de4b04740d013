import type { ThreadParts } from '../../application-parts.ts'
import type { Audit } from '../../people/audit/audit.ts'
import type { Settings } from '../../people/settings/settings.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import { makeSecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import { makeGitCredentialStore } from '../../sandboxes/git-credentials/git-credentials.store.ts'
import type { GitCredentialTables } from '../../sandboxes/git-credentials/git-credentials.table.ts'
import type { HostClient } from '../../sandboxes/host/host-client.ts'
import { rescueBudgets } from '../../sandboxes/lifecycle/rescue-budgets.ts'
import { makeServiceStore } from '../../sandboxes/services/services.store.ts'
import type { ServiceTables } from '../../sandboxes/services/services.table.ts'
import { makeConnectionStore } from '../../turns/connections/connections.store.ts'
import type { ConnectionTables } from '../../turns/connections/connections.table.ts'
import { openState, secretsOf } from '../../turns/connections/oauth-state.models.ts'
import { programSecrets } from '../../turns/connections/program.models.ts'
import type { Turns } from '../../turns/engine/turns.usecases.ts'
import { makeModelStore } from '../../turns/models/models.store.ts'
import type { ModelTables } from '../../turns/models/models.table.ts'
import { type AgentFiles, makeAgentFiles } from './agent-files.usecases.ts'
import { makeAgentStore } from './agents.store.ts'
import type { AgentTables } from './agents.table.ts'
import { type Agents, makeAgents } from './agents.usecases.ts'
import { makeEnvironmentStore } from './environments.store.ts'
import type { EnvironmentTables } from './environments.table.ts'
import { type Environments, makeEnvironments } from './environments.usecases.ts'
import type { Installs } from './installs.usecases.ts'
import { startEnvironment } from './start-environment.ts'

export type AgentPart = { agents: Agents; environments: Environments; agentFiles: AgentFiles; installs: Installs }

type AgentPartOptions = { open: OpenDatabase; host: HostClient; masterKey: Uint8Array; system: System }

/** Shorter ones could stand anywhere by chance. */
const minSecretCharacters = 8

/** Agents and their environments, out of what threads, turns, skills and connections are. */
export function makeAgentPart(
  options: AgentPartOptions,
  known: { parts: ThreadParts; turns: Turns; settings: Settings; audit: Audit },
): AgentPart {
  const { parts, audit } = known
  const { open, host, system } = options
  const { workspaces, sandboxStore, forkSandbox } = parts
  const store = makeEnvironmentStore(tablesOf<EnvironmentTables & AgentTables>(open.database))
  const connectionStore = makeConnectionStore(tablesOf<ConnectionTables>(open.database))
  const serviceStore = makeServiceStore(tablesOf<ServiceTables>(open.database))
  const environments = makeEnvironments({
    store,
    host,
    system,
    sandboxStore,
    serviceStore,
    turns: known.turns,
    operations: parts.operations,
    snapshots: parts.snapshots,
    hashKeyOf: parts.hashKeyOf,
    budgets: () => rescueBudgets(known.settings),
    storedSecrets: () => storedSecrets(options),
    defaultLimits: () => known.settings.limits(),
  })
  const workspaceIdsOf = async (userId: string) => (await workspaces.list(userId)).workspaces.map(({ id }) => id)
  const agents = makeAgents({
    store: makeAgentStore(tablesOf<AgentTables>(open.database)),
    hiddenThreads: parts.hiddenThreads,
    setups: parts.setups,
    access: parts.access,
    audit,
    system,
    environments,
    environmentRows: (ids) => store.list(ids),
    workspaceIdsOf,
    startEnvironment: (order) =>
      startEnvironment({ environments: store, forkSandbox, sandboxStore, serviceStore, system }, order),
    onSandboxChanged: (threadId) => void parts.sandboxArea.events.emit('sandbox-changed', { threadId }),
    requireWorkspace: (userId, workspaceId) => workspaces.requireOpen(userId, workspaceId),
    skillIdsOf: async (userId) => (await parts.skills.list(userId)).skills.map(({ id }) => id),
    connectionIdsOf: async (userId) =>
      (await connectionStore.list(userId, await workspaceIdsOf(userId))).map(({ id }) => id),
    onChanged: (home) => parts.tellHome(home, { type: 'agents-updated' }),
  })
  const agentFiles = makeAgentFiles({
    agents,
    environments,
    environmentRows: (ids) => store.list(ids),
    skills: parts.skills,
    host,
    system,
    models: () => makeModelStore(tablesOf<ModelTables>(open.database)).list(),
    connectionsOf: async (userId) => connectionStore.list(userId, await workspaceIdsOf(userId)),
    storedSecrets: () => storedSecrets(options),
  })
  return { agents, environments, agentFiles, installs: parts.installs }
}

/** Everything that is sealed with the master key: keys of models, tokens of connections and of Git credentials. */
async function storedSecrets({ open, masterKey }: AgentPartOptions): Promise<string[]> {
  const box = makeSecretBox(masterKey)
  const models = await makeModelStore(tablesOf<ModelTables>(open.database)).list()
  const connections = await makeConnectionStore(tablesOf<ConnectionTables>(open.database)).secrets()
  const gitTokens = await makeGitCredentialStore(tablesOf<GitCredentialTables>(open.database)).sealedTokens()
  const all = [
    ...models.flatMap(({ sealed_key }) => (sealed_key === null ? [] : [box.open(sealed_key)])),
    ...connections.flatMap(({ auth_kind, sealed_secret }) => {
      if (sealed_secret === null) return []
      if (auth_kind === 'program') return Object.values(programSecrets({ sealed_secret }, box))
      return auth_kind === 'oauth' ? secretsOf(openState(sealed_secret, box)) : [box.open(sealed_secret)]
    }),
    ...gitTokens.map((sealed) => box.open(sealed)),
  ]
  return [...new Set(all)].filter(({ length }) => length >= minSecretCharacters)
}
