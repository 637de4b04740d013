import type { Kysely } from 'kysely'

/** A copy of a thread's computer: a sandbox on the host that is of no thread and never runs. */
export type EnvironmentRow = {
  id: string
  owner_id: string
  thread_id: string
  sandbox_id: string
  /** `making`: half made, or given up. `making`, `ready`: its removal is planned. `kept`: versions of an agent have it, and it goes with the last of them. */
  state: 'making' | 'ready' | 'kept'
  created_at: number
  /** The limits of the sandbox that it was made from, and what its thread decided, as JSON. */
  limits_json: string
  /** Services of the thread in the order of their starts, as JSON. */
  services_json: string
  /** What was rescued of its memory, as JSON; null: nothing. */
  rescue_json: string | null
  /** What is in it and what is not, as JSON; empty while it is being made. */
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
