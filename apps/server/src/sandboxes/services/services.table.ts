import type { Kysely } from 'kysely'

/**
 * A service of a thread: how it is started, and its state. `state` describes its process in the boot `boot_id`; the
 * status on screen also depends on the sandbox.
 */
export type ServiceRow = {
  thread_id: string
  name: string
  /** Order of the starts in the thread. */
  position: number
  command: string
  port: number
  cwd: string
  environment_json: string
  ready_timeout_ms: number
  /** Identifies one start. The guest starts the same key once. */
  key: string
  /** The boot in which it was started; null until the guest has confirmed that. */
  boot_id: string | null
  /** `starting` and `running` should run: a boot that has not started them does so. */
  state: 'starting' | 'running' | 'stopped' | 'error'
  since: number
  problem_json: string | null
}

export type ServiceTables = { services: ServiceRow }

export async function createServiceTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('services')
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('command', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('cwd', 'text', (column) => column.notNull())
    .addColumn('environment_json', 'text', (column) => column.notNull())
    .addColumn('ready_timeout_ms', 'integer', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('boot_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('problem_json', 'text')
    .addPrimaryKeyConstraint('services_pk', ['thread_id', 'name'])
    .execute()
}
