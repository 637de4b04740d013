import type { Kysely } from 'kysely'

/** The sandbox of a thread as the server knows it. Every write is compare-and-set on `state` and `boot_id`. */
export type SandboxRow = {
  id: string
  thread_id: string
  state: string
  since: number
  /** The boot that is running or being started; null while there is none. */
  boot_id: string | null
  /** Why the state is what it is: a message key of the app and its parameters as JSON. */
  detail_code: string | null
  detail_json: string | null
  memory_bytes: number
  cpus: number
  processes: number
  disk_bytes: number
  created_at: number
}

export type SandboxTables = { sandboxes: SandboxRow }

export async function createSandboxTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('sandboxes')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().unique())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('boot_id', 'text')
    .addColumn('detail_code', 'text')
    .addColumn('detail_json', 'text')
    .addColumn('memory_bytes', 'bigint', (column) => column.notNull())
    .addColumn('cpus', 'double precision', (column) => column.notNull())
    .addColumn('processes', 'bigint', (column) => column.notNull())
    .addColumn('disk_bytes', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
}
