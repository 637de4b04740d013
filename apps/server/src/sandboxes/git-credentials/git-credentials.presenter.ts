import type { GitCredential, ThreadGitCredential } from '@threadbox/protocol/public'
import type { GitCredentialRow, GitGrantRow } from './git-credentials.table.ts'

/** A credential as its owner sees it, without its token. */
export function presentCredential(row: GitCredentialRow, grants: readonly GitGrantRow[]): GitCredential {
  const own = grants.filter(({ credential_id }) => credential_id === row.id)
  return {
    ...shared(row),
    workspaceIds: own.flatMap(({ workspace_id }) => workspace_id ?? []),
    threadCount: own.filter(({ thread_id }) => thread_id !== null).length,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  }
}

export function presentForThread(
  row: GitCredentialRow,
  seen: { thread: { id: string; workspace_id: string | null }; grants: readonly GitGrantRow[] },
): ThreadGitCredential {
  const { thread, grants } = seen
  const own = grants.filter(({ credential_id }) => credential_id === row.id)
  return {
    ...shared(row),
    isAllowed: own.some(({ thread_id }) => thread_id === thread.id),
    isAllowedByWorkspace:
      thread.workspace_id !== null && own.some(({ workspace_id }) => workspace_id === thread.workspace_id),
  }
}

export function repositoriesOf(row: Pick<GitCredentialRow, 'repositories_json'>): string[] {
  return JSON.parse(row.repositories_json) as string[]
}

function shared(row: GitCredentialRow) {
  const { id, address, username } = row
  return { id, address, username, access: row.access as GitCredential['access'], repositories: repositoriesOf(row) }
}
