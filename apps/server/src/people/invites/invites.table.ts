import type { Kysely } from 'kysely'

/** A link with which people join, or one person sets a new password. Only its secret’s SHA-256 is stored. */
export type InviteRow = {
  id: string
  sha256: string
  /** Whose password it sets; null: it is an invite. */
  user_id: string | null
  role: string
  email: string | null
  workspace_ids_json: string
  uses_left: number
  created_by: string
  created_at: number
  expires_at: number
}

export type InviteTables = { invites: InviteRow }

export async function createInviteTable(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('invites')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('sha256', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.references('users.id').onDelete('cascade'))
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('email', 'text')
    .addColumn('workspace_ids_json', 'text', (column) => column.notNull())
    .addColumn('uses_left', 'integer', (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
}
