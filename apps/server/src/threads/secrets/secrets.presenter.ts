import type { Secret, SecretOwnerKind, SecretWay } from '@threadbox/protocol/public'
import type { SecretGrantRow, SecretRow } from './secrets.table.ts'
import { rulesOf } from './usable-secrets.ts'

export type GrantedThread = { id: string; title: string; way: SecretWay }

/** A page shows this many threads of a secret, and how many there are. */
export const maxShownThreads = 20

/** A secret as who manages it sees it, without its value. */
export function presentSecret(
  row: SecretRow,
  grants: readonly SecretGrantRow[],
  threads: readonly GrantedThread[],
): Secret {
  return {
    id: row.id,
    name: row.name,
    owner: row.owner as SecretOwnerKind,
    workspaceId: row.workspace_id,
    ...rulesOf(row),
    workspaceIds: grants.flatMap(({ workspace_id }) => workspace_id ?? []),
    threads: threads.slice(0, maxShownThreads),
    threadCount: threads.length,
    lastUsedAt: row.last_used_at,
    valueSetAt: row.value_set_at,
    createdAt: row.created_at,
  }
}
