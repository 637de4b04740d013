import type { Connection, ProgramPhase } from '@threadbox/protocol/public'
import { agentNames } from './agent-names.logic.ts'
import type { ConnectionRow } from './connections.table.ts'
import { programOf } from './program.logic.ts'
import type { KnownTool } from './tool-list.logic.ts'

/** A connection in the form of the API, without its secret. */
export function presentConnection(
  row: ConnectionRow,
  seen: { tools: readonly KnownTool[]; phase: ProgramPhase | null },
): Connection {
  const { tools, phase } = seen
  const program = programOf(row)
  const listed = tools.filter((tool) => tool.isListed)
  const names = agentNames(
    row.slug,
    listed.map((tool) => tool.name),
  )
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    slug: row.slug,
    kind: program === null ? 'http' : 'stdio',
    url: row.url,
    program,
    preset: row.preset,
    auth:
      program === null
        ? { kind: row.auth_kind as Connection['auth']['kind'], header: row.header_name }
        : { kind: 'none', header: null },
    isEnabled: row.is_enabled === 1,
    status: row.status as Connection['status'],
    phase: row.status === 'starting' ? (phase ?? 'sandbox') : null,
    failure: parsed<NonNullable<Connection['failure']>>(row.failure_json),
    server: parsed<NonNullable<Connection['server']>>(row.server_json),
    checkedAt: row.checked_at,
    tools: listed.map((tool, index) => ({
      name: tool.name,
      agentName: names[index] ?? tool.name,
      title: tool.title,
      description: tool.description,
      input: tool.schema,
      claims: tool.claims,
      approval: tool.approval,
      isChanged: tool.isChanged,
      problem: tool.problem,
    })),
    furtherTools: row.further_tools,
    createdAt: row.created_at,
  }
}

function parsed<Value>(json: string | null): Value | null {
  return json === null ? null : (JSON.parse(json) as Value)
}
