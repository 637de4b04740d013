import { auditAddress } from '../../people/public.ts'
import type { ConnectionRow } from './connections.table.ts'
import { programOf } from './program.logic.ts'
import type { KnownTool } from './tool-list.logic.ts'

/**
 * A connection as rows of the audit log have it. Arguments and variables of a program can contain secrets. The revision
 * changes with the address, the program and the secret.
 */
export function auditStateOf(row: ConnectionRow) {
  const { name, header_name: header, revision } = row
  return {
    name,
    address: auditAddress(row.url),
    program: programOf(row)?.command ?? null,
    auth: row.auth_kind,
    header,
    workspace: row.workspace_id,
    isEnabled: row.is_enabled === 1,
    revision,
  }
}

/** What each tool is allowed, by its name. */
export function approvalsOf(tools: readonly KnownTool[]): Record<string, string> {
  return Object.fromEntries(tools.filter(({ isListed }) => isListed).map(({ name, approval }) => [name, approval]))
}
