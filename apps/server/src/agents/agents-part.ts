import type { ThreadParts } from '../application-parts.ts'
import type { Audit } from '../audit/audit.ts'
import type { Connections } from '../connections/connections.usecases.ts'
import { type OpenDatabase, tablesOf } from '../database/database.ts'
import type { System } from '../system.ts'
import { makeAgentStore } from './agents.store.ts'
import type { AgentTables } from './agents.table.ts'
import { type Agents, makeAgents } from './agents.usecases.ts'

/** Agents, out of what threads, skills and connections are. */
export function makeAgentPart(
  options: { open: OpenDatabase; system: System },
  known: { parts: ThreadParts; connections: Pick<Connections, 'list'>; audit: Audit },
): Agents {
  const { parts, connections, audit } = known
  const { workspaces, userHub, workspaceStore } = parts
  return makeAgents({
    store: makeAgentStore(tablesOf<AgentTables>(options.open.database)),
    ...{
      hiddenThreads: parts.hiddenThreads,
      setups: parts.setups,
      access: parts.access,
      audit,
      system: options.system,
    },
    workspaceIdsOf: async (userId) => (await workspaces.list(userId)).workspaces.map(({ id }) => id),
    requireWorkspace: (userId, workspaceId) => workspaces.requireOpen(userId, workspaceId),
    skillIdsOf: async (userId) => (await parts.skills.list(userId)).skills.map(({ id }) => id),
    connectionIdsOf: async (userId) => (await connections.list(userId)).map(({ id }) => id),
    onChanged: async ({ userId, workspaceId }) => {
      const people = workspaceId === null ? [userId] : await workspaceStore.memberIds(workspaceId)
      for (const person of people) userHub.publish(person, { type: 'agents-updated' })
    },
  })
}
