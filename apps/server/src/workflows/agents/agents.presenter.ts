import type { Agent, AgentVersion } from '@threadbox/protocol/public'
import { idsOf } from '../../threads/public.ts'
import type { AgentWithCurrent } from './agents.store.ts'
import type { AgentVersionRow } from './agents.table.ts'
import type { EnvironmentRow } from './environments.table.ts'
import { presentEnvironment } from './environments.usecases.ts'

type KnownEnvironments = ReadonlyMap<string, EnvironmentRow>

export function presentAgent({ agent, current }: AgentWithCurrent, environments: KnownEnvironments): Agent {
  return {
    id: agent.id,
    workspaceId: agent.workspace_id,
    name: agent.name,
    description: agent.description,
    current: presentVersion(current, environments),
    imported: importedOf(agent),
    createdAt: agent.created_at,
    updatedAt: agent.updated_at,
  }
}

function importedOf({ file_sha256, accepted_at, accepted_by }: AgentWithCurrent['agent']): Agent['imported'] {
  if (file_sha256 === null) return null
  return { sha256: file_sha256, acceptedAt: Number(accepted_at), acceptedBy: accepted_by ?? '' }
}

export function presentVersion(row: AgentVersionRow, environments: KnownEnvironments): AgentVersion {
  const environment = environments.get(row.environment_id ?? '')
  return {
    version: row.version,
    createdAt: row.created_at,
    instructions: row.instructions,
    modelId: row.model_id,
    skillIds: idsOf(row.skill_ids_json),
    connectionIds: idsOf(row.connection_ids_json),
    environment: environment === undefined ? null : summaryOf(environment),
  }
}

function summaryOf(row: EnvironmentRow): AgentVersion['environment'] {
  const { id, createdAt, diskBytes, captured, memory } = presentEnvironment(row)
  const memoryBytes = memory?.kept ? memory.bytes : null
  const { services, variables } = captured
  const content = { services: services.map(({ name }) => name), variableCount: variables.names.length }
  return { id, createdAt, diskBytes, memoryBytes, ...content }
}
