import type { Kysely } from 'kysely'

/**
 * An action, who did it and from where. Rows are only ever added, and
 * removed after 400 days. Those from before the chain have null in the columns
 * that came with it.
 */
export type AuditRow = {
  id: string
  at: number
  user_id: string | null
  action: string
  subject: string | null
  json: string
  actor_kind: string | null
  actor_id: string | null
  address: string | null
  request_id: string | null
  before_json: string | null
  after_json: string | null
  seq: number | null
  previous_hash: string | null
  hash: string | null
}
/** The end of the chain: one row with `id` 1. Taking the next number locks it, so writers can’t fork the chain. */
export type AuditHeadRow = { id: number; seq: number; hash: string }
/** The last row that was removed for its age: one row with `id` 1, or none. `mac` protects it. */
export type AuditAnchorRow = { id: number; seq: number; hash: string; mac: string }
export type AuditTables = { audit_events: AuditRow; audit_head: AuditHeadRow; audit_anchor: AuditAnchorRow }

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

export async function addAuditChain(database: Kysely<never>): Promise<void> {
  const texts = [
    'actor_kind',
    'actor_id',
    'address',
    'request_id',
    'before_json',
    'after_json',
    'previous_hash',
    'hash',
  ]
  for (const name of texts) await database.schema.alterTable('audit_events').addColumn(name, 'text').execute()
  await database.schema.alterTable('audit_events').addColumn('seq', 'bigint').execute()
  await database.schema.createIndex('audit_events_seq_idx').on('audit_events').column('seq').unique().execute()
  for (const table of ['audit_head', 'audit_anchor']) {
    const created = database.schema
      .createTable(table)
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('seq', 'bigint', (column) => column.notNull())
      .addColumn('hash', 'text', (column) => column.notNull())
    await (table === 'audit_head' ? created : created.addColumn('mac', 'text', (column) => column.notNull())).execute()
  }
  const tables = database as unknown as Kysely<AuditTables>
  await tables.insertInto('audit_head').values({ id: 1, seq: 0, hash: '' }).execute()
}
