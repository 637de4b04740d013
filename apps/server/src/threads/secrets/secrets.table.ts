import { type Kysely, sql } from 'kysely'

export type SecretRow = {
  id: string
  /** `person`, `workspace` or `installation`. */
  owner: string
  /** The person, workspace or `installation`: a name is unique below it. */
  owner_id: string
  user_id: string | null
  workspace_id: string | null
  name: string
  sealed_value: string
  /** Grows with each value. */
  revision: number
  /** Hosts, positions, methods, path, header and the beginning of placeholders, as JSON. */
  rules_json: string
  last_used_at: number | null
  value_set_at: number
  created_at: number
}

/** A secret’s grant to one thread or to all threads of a workspace. Exactly one of the two is set. */
export type SecretGrantRow = {
  secret_id: string
  thread_id: string | null
  workspace_id: string | null
  /** `brokered` or `direct`. */
  way: string
  created_at: number
}

/** A thread whose sandbox has had a value itself. */
export type SecretTaintRow = { thread_id: string; tainted_at: number }

export type SecretTables = { secrets: SecretRow; secret_grants: SecretGrantRow; secret_taints: SecretTaintRow }

export async function createSecretTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<SecretTables>
  await tables.schema
    .createTable('secrets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('sealed_value', 'text', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('rules_json', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .addColumn('value_set_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await tables.schema.createIndex('secrets_name_idx').unique().on('secrets').columns(['owner_id', 'name']).execute()
  await tables.schema
    .createTable('secret_grants')
    .addColumn('secret_id', 'text', (column) => column.notNull().references('secrets.id').onDelete('cascade'))
    .addColumn('thread_id', 'text', (column) => column.references('threads.id').onDelete('cascade'))
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('cascade'))
    .addColumn('way', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  for (const place of ['thread_id', 'workspace_id'] as const) {
    await tables.schema
      .createIndex(`secret_grants_${place}_idx`)
      .unique()
      .on('secret_grants')
      .columns([place, 'secret_id'])
      .where(sql.ref(place), 'is not', null)
      .execute()
  }
  await tables.schema
    .createTable('secret_taints')
    .addColumn('thread_id', 'text', (column) => column.primaryKey().references('threads.id').onDelete('cascade'))
    .addColumn('tainted_at', 'bigint', (column) => column.notNull())
    .execute()
}
