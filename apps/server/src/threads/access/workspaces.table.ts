import { type Kysely, sql } from 'kysely'

export type WorkspaceRow = {
  id: string
  owner_id: string
  name: string
  /** The name in the form in which names are compared. */
  name_key: string
  instructions: string
  model_id: string | null
  /** Only values that the workspace sets itself, as JSON. */
  policy_json: string
  limits_json: string
  created_at: number
  archived_at: number | null
  /** When a user deleted it with its threads; after the undo time they are deleted permanently. */
  deleted_at: number | null
}

/** A user's role in a workspace and its state in their sidebar. */
export type WorkspaceMemberRow = {
  workspace_id: string
  user_id: string
  role: string
  /** Order in the sidebar; ties are ordered by id. */
  position: number
  is_collapsed: number
  joined_at: number
}

export type WorkspaceTables = { workspaces: WorkspaceRow; workspace_members: WorkspaceMemberRow }

export async function createWorkspaceTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<WorkspaceTables>
  await tables.schema
    .createTable('workspaces')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('instructions', 'text', (column) => column.notNull())
    .addColumn('model_id', 'text')
    .addColumn('policy_json', 'text', (column) => column.notNull())
    .addColumn('limits_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('archived_at', 'bigint')
    .addColumn('deleted_at', 'bigint')
    .execute()
  // Deleting a workspace frees its name immediately.
  await tables.schema
    .createIndex('workspaces_name_idx')
    .unique()
    .on('workspaces')
    .columns(['owner_id', 'name_key'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute()
  await tables.schema
    .createTable('workspace_members')
    .addColumn('workspace_id', 'text', (column) => column.notNull().references('workspaces.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('is_collapsed', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('workspace_members_pk', ['workspace_id', 'user_id'])
    .execute()
  await tables.schema
    .createIndex('workspace_members_user_idx')
    .on('workspace_members')
    .columns(['user_id', 'position'])
    .execute()
  // Existing threads stay outside. A thread that is moved in while its workspace is being deleted survives outside.
  await tables.schema
    .alterTable('threads')
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('set null'))
    .execute()
  await tables.schema
    .createIndex('threads_workspace_idx')
    .on('threads')
    .columns(['workspace_id', 'deleted_at'])
    .execute()
}

/** Members from before are those who made the workspace. */
export async function addJoined(database: Kysely<never>): Promise<void> {
  await database.schema
    .alterTable('workspace_members')
    .addColumn('joined_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
}
