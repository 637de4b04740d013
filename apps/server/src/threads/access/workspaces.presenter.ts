import {
  isWorkspaceRole,
  type LifecyclePolicy,
  roleAllows,
  type SandboxLimits,
  workspaceActions,
} from '@threadbox/domain'
import type { PolicyChange, UpdateWorkspace, Workspace } from '@threadbox/protocol/public'
import type { WorkspaceOfMember } from './workspaces.store.ts'
import type { WorkspaceRow } from './workspaces.table.ts'

/** Values that a workspace sets itself. */
export type WorkspaceValues = { policy: Partial<LifecyclePolicy>; limits: Partial<SandboxLimits> }

export function valuesOf(row: Pick<WorkspaceRow, 'policy_json' | 'limits_json'>): WorkspaceValues {
  return {
    policy: JSON.parse(row.policy_json) as Partial<LifecyclePolicy>,
    limits: JSON.parse(row.limits_json) as Partial<SandboxLimits>,
  }
}

/** A workspace in the view of one of its members. */
export function presentWorkspace(row: WorkspaceOfMember, threadCount: number): Workspace {
  const role = isWorkspaceRole(row.role) ? row.role : 'viewer'
  return {
    id: row.id,
    name: row.name,
    instructions: row.instructions,
    modelId: row.model_id,
    ...valuesOf(row),
    isCollapsed: row.is_collapsed === 1,
    threadCount,
    role,
    allowed: workspaceActions.filter((action) => roleAllows(role, action, true)),
    memberCount: Number(row.member_count),
    createdAt: row.created_at,
    archivedAt: row.archived_at,
    deletedAt: row.deleted_at,
  }
}

/** The values after a change: `null` removes one, so that it is inherited again. */
export function changedValues(row: WorkspaceRow, change: Pick<UpdateWorkspace, 'policy' | 'limits'>) {
  const { policy, limits } = valuesOf(row)
  return {
    ...(change.policy === undefined ? {} : { policy_json: merged(policy, policyValues(change.policy)) }),
    ...(change.limits === undefined ? {} : { limits_json: merged(limits, change.limits) }),
  }
}

/** In a change, a retention of 0 means “never”, which is stored as null; null removes the value. */
function policyValues(change: PolicyChange): Record<string, unknown> {
  const { retentionDays, ...rest } = change
  if (retentionDays === undefined) return rest
  return { ...rest, retentionDays: retentionDays === null ? undefined : retentionDays === 0 ? never : retentionDays }
}

const never = Symbol('never')

function merged(before: Record<string, unknown>, change: Record<string, unknown>): string {
  const values = new Map(Object.entries(before))
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === undefined) values.delete(name)
    else values.set(name, value === never ? null : value)
  }
  return JSON.stringify(Object.fromEntries(values))
}

/** The form in which names are compared: people easily mistake `Data` for `data`. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}
