import type { Kysely } from 'kysely'
import type { GitCredentialRow, GitCredentialTables, GitGrantRow } from './git-credentials.table.ts'

export type GitCredentialColumns = Partial<
  Pick<GitCredentialRow, 'username' | 'sealed_token' | 'access' | 'repositories_json' | 'last_used_at'>
>

/** The only code that touches `git_credentials` and `git_grants`. */
export type GitCredentialStore = {
  find(id: string): Promise<GitCredentialRow | undefined>
  /** Credentials of one person, oldest first. */
  list(userId: string): Promise<GitCredentialRow[]>
  /** Sealed tokens of all people. */
  sealedTokens(): Promise<string[]>
  /** Also inserts the grants to these workspaces. */
  insert(row: GitCredentialRow, workspaceIds: readonly string[]): Promise<void>
  /** Writes only these columns: others can change at the same time. */
  update(id: string, columns: GitCredentialColumns): Promise<void>
  delete(id: string): Promise<void>
  grants(ids: readonly string[]): Promise<GitGrantRow[]>
  /** Replaces the workspaces whose threads can use the credential. */
  setWorkspaces(id: string, workspaceIds: readonly string[]): Promise<void>
  /** Of these credentials, grants the thread exactly those in `allowed`. */
  setThread(threadId: string, of: { ids: readonly string[]; allowed: readonly string[] }): Promise<void>
  /** Credentials granted to the thread or to its workspace, oldest first. */
  allowedIn(place: { threadId: string; workspaceId: string | null }): Promise<GitCredentialRow[]>
}

export function makeGitCredentialStore(database: Kysely<GitCredentialTables>): GitCredentialStore {
  const all = () => database.selectFrom('git_credentials').selectAll()
  const workspaceGrants = (id: string, workspaceIds: readonly string[]) =>
    [...new Set(workspaceIds)].map((workspaceId) => ({
      credential_id: id,
      thread_id: null,
      workspace_id: workspaceId,
    }))
  return {
    find: (id) => all().where('id', '=', id).executeTakeFirst(),
    list: (userId) => all().where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute(),
    sealedTokens: async () => {
      const rows = await database.selectFrom('git_credentials').select('sealed_token').execute()
      return rows.map(({ sealed_token }) => sealed_token)
    },
    insert: (row, workspaceIds) =>
      database.transaction().execute(async (transaction) => {
        await transaction.insertInto('git_credentials').values(row).execute()
        const grants = workspaceGrants(row.id, workspaceIds)
        if (grants.length > 0) await transaction.insertInto('git_grants').values(grants).execute()
      }),
    update: async (id, columns) => {
      if (Object.keys(columns).length === 0) return
      await database.updateTable('git_credentials').set(columns).where('id', '=', id).execute()
    },
    delete: async (id) => {
      await database.deleteFrom('git_credentials').where('id', '=', id).execute()
    },
    grants: async (ids) => {
      if (ids.length === 0) return []
      return await database.selectFrom('git_grants').selectAll().where('credential_id', 'in', ids).execute()
    },
    setWorkspaces: (id, workspaceIds) =>
      database.transaction().execute(async (transaction) => {
        const before = transaction.deleteFrom('git_grants').where('credential_id', '=', id)
        await before.where('workspace_id', 'is not', null).execute()
        const grants = workspaceGrants(id, workspaceIds)
        if (grants.length > 0) await transaction.insertInto('git_grants').values(grants).execute()
      }),
    setThread: (threadId, { ids, allowed }) =>
      database.transaction().execute(async (transaction) => {
        if (ids.length === 0) return
        const before = transaction.deleteFrom('git_grants').where('thread_id', '=', threadId)
        await before.where('credential_id', 'in', ids).execute()
        const grants = ids
          .filter((id) => allowed.includes(id))
          .map((id) => ({ credential_id: id, thread_id: threadId, workspace_id: null }))
        if (grants.length > 0) await transaction.insertInto('git_grants').values(grants).execute()
      }),
    allowedIn: ({ threadId, workspaceId }) => {
      const granted = database
        .selectFrom('git_grants')
        .select('credential_id')
        .where((grant) =>
          grant.or([
            grant('thread_id', '=', threadId),
            ...(workspaceId === null ? [] : [grant('workspace_id', '=', workspaceId)]),
          ]),
        )
      return all().where('id', 'in', granted).orderBy('created_at').orderBy('id').execute()
    },
  }
}
