import { type Kysely, sql } from 'kysely'

export type GitCredentialRow = {
  id: string
  user_id: string
  /** Origin of the server, such as `https://github.com`. Never changes: the token was entered for it. */
  address: string
  username: string
  sealed_token: string
  access: string
  /** `owner/name` and `owner/*`, as JSON; empty for all. */
  repositories_json: string
  last_used_at: number | null
  created_at: number
}

/** A credential’s grant to one thread or to all threads of a workspace. Exactly one of the two is set. */
export type GitGrantRow = {
  credential_id: string
  thread_id: string | null
  workspace_id: string | null
}

export type GitCredentialTables = { git_credentials: GitCredentialRow; git_grants: GitGrantRow }

export async function createGitCredentialTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<GitCredentialTables>
  await tables.schema
    .createTable('git_credentials')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('username', 'text', (column) => column.notNull())
    .addColumn('sealed_token', 'text', (column) => column.notNull())
    .addColumn('access', 'text', (column) => column.notNull())
    .addColumn('repositories_json', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await tables.schema
    .createIndex('git_credentials_user_idx')
    .on('git_credentials')
    .columns(['user_id', 'created_at'])
    .execute()
  await tables.schema
    .createTable('git_grants')
    .addColumn('credential_id', 'text', (column) =>
      column.notNull().references('git_credentials.id').onDelete('cascade'),
    )
    .addColumn('thread_id', 'text', (column) => column.references('threads.id').onDelete('cascade'))
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('cascade'))
    .execute()
  for (const place of ['thread_id', 'workspace_id'] as const) {
    await tables.schema
      .createIndex(`git_grants_${place}_idx`)
      .unique()
      .on('git_grants')
      .columns([place, 'credential_id'])
      .where(sql.ref(place), 'is not', null)
      .execute()
  }
}
