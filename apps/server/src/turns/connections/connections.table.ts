import { type Kysely, sql } from 'kysely'

/** A server whose tools agents of a user or workspace can use. The secret is sealed with the master key. */
export type ConnectionRow = {
  id: string
  /** The user who created the connection. */
  user_id: string
  /** Null: the user's own connection, for all their threads. */
  workspace_id: string | null
  name: string
  slug: string
  /** Empty if the connection runs a program. */
  url: string
  /** The program to run in its own sandbox, without its secrets; null: the server is at `url`. */
  program_json: string | null
  preset: string | null
  auth_kind: string
  header_name: string | null
  sealed_secret: string | null
  is_enabled: number
  /** Counts changes of address and secret. Sessions of an earlier revision are no longer used. */
  revision: number
  status: string
  failure_json: string | null
  server_json: string | null
  further_tools: number
  checked_at: number | null
  created_at: number
}

export type ConnectionToolRow = {
  connection_id: string
  name: string
  position: number
  definition_json: string
  fingerprint: string
  approval: string
  is_changed: number
  is_listed: number
}

export type ConnectionTables = { connections: ConnectionRow; connection_tools: ConnectionToolRow }

export async function createConnectionTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<ConnectionTables>
  await tables.schema
    .createTable('connections')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('preset', 'text')
    .addColumn('auth_kind', 'text', (column) => column.notNull())
    .addColumn('header_name', 'text')
    .addColumn('sealed_secret', 'text')
    .addColumn('is_enabled', 'integer', (column) => column.notNull())
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('failure_json', 'text')
    .addColumn('server_json', 'text')
    .addColumn('further_tools', 'integer', (column) => column.notNull())
    .addColumn('checked_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  // Tools of two connections in the same scope never have the same names.
  await tables.schema
    .createIndex('connections_own_slug_idx')
    .unique()
    .on('connections')
    .columns(['user_id', 'slug'])
    .where(sql.ref('workspace_id'), 'is', null)
    .execute()
  await tables.schema
    .createIndex('connections_workspace_slug_idx')
    .unique()
    .on('connections')
    .columns(['workspace_id', 'slug'])
    .where(sql.ref('workspace_id'), 'is not', null)
    .execute()
  await tables.schema
    .createTable('connection_tools')
    .addColumn('connection_id', 'text', (column) => column.notNull().references('connections.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('definition_json', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'text', (column) => column.notNull())
    .addColumn('approval', 'text', (column) => column.notNull())
    .addColumn('is_changed', 'integer', (column) => column.notNull())
    .addColumn('is_listed', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('connection_tools_pk', ['connection_id', 'name'])
    .execute()
  await addUnattended(database)
}

/** Marks turns and queued messages as unattended: a call that needs approval is denied. */
async function addUnattended(database: Kysely<never>): Promise<void> {
  for (const table of ['turn_runs', 'queued_messages']) {
    await database.schema
      .alterTable(table)
      .addColumn('is_unattended', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  }
}
