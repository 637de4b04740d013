import type { Kysely } from 'kysely'

/** A copy of a thread’s sandbox: a sandbox on the host that belongs to no thread and never runs. */
export type EnvironmentRow = {
  id: string
  owner_id: string
  thread_id: string
  sandbox_id: string
  /**
   * `making`: incomplete or discarded. `making`, `ready`: its removal is scheduled. `kept`: agent versions use it, and
   * it is deleted with the last of them.
   */
  state: 'making' | 'ready' | 'kept'
  created_at: number
  /** The limits of the source sandbox, including those that were set for its thread, as JSON. */
  limits_json: string
  /** The thread’s services in start order, as JSON. */
  services_json: string
  /** What was saved from its memory, as JSON; null: nothing. */
  rescue_json: string | null
  /** What it contains and what it does not, as JSON; empty while it is being made. */
  content_json: string
}

export type EnvironmentTables = { agent_environments: EnvironmentRow }

export async function createEnvironmentTable(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<EnvironmentTables>
  await tables.schema
    .createTable('agent_environments')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('thread_id', 'text', (column) => column.notNull())
    .addColumn('sandbox_id', 'text', (column) => column.notNull().unique())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('limits_json', 'text', (column) => column.notNull())
    .addColumn('services_json', 'text', (column) => column.notNull())
    .addColumn('rescue_json', 'text')
    .addColumn('content_json', 'text', (column) => column.notNull())
    .execute()
}
