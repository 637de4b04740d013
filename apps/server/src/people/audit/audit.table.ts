import type { Kysely } from 'kysely'

/** An action and the user who did it. Rows are only ever added. */
export type AuditRow = {
  id: string
  at: number
  user_id: string | null
  action: string
  subject: string | null
  json: string
}
export type AuditTables = { audit_events: AuditRow }

export async function createAuditTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('audit_events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('user_id', 'text')
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('json', 'text', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('audit_events_at_idx').on('audit_events').columns(['at', 'id']).execute()
}
