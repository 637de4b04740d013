import type { Agent, AgentVersion } from '@threadbox/protocol/public'
import type { AgentWithCurrent } from './agents.store.ts'
import type { AgentVersionRow } from './agents.table.ts'
import { idsOf } from './thread-setups.store.ts'

export function presentAgent({ agent, current }: AgentWithCurrent): Agent {
  return {
    id: agent.id,
    workspaceId: agent.workspace_id,
    name: agent.name,
    description: agent.description,
    current: presentVersion(current),
    createdAt: agent.created_at,
    updatedAt: agent.updated_at,
  }
}

export function presentVersion(row: AgentVersionRow): AgentVersion {
  return {
    version: row.version,
    createdAt: row.created_at,
    instructions: row.instructions,
    modelId: row.model_id,
    skillIds: idsOf(row.skill_ids_json),
    connectionIds: idsOf(row.connection_ids_json),
  }
}
