import type { Kysely } from 'kysely'

/** What survived one pause. `before_json` is the manifest to compare with; null once the report is complete. */
export type SurvivalReportRow = {
  id: string
  thread_id: string
  sandbox_id: string
  boot_id: string
  woken_at: number
  status: string
  json: string
  before_json: string | null
  rescue_json: string | null
  /** The entry of the wake in the conversation. */
  entry_id: string
  /** 1 if the agent has got the report. */
  is_told: number
}

/** A line of a thread's lifecycle log. */
export type LifecycleLogRow = {
  id: string
  thread_id: string
  /** Orders lines of the same millisecond. */
  position: number
  at: number
  code: string
  params_json: string
  report_id: string | null
}

/** The last reading of the clocks, in one row. */
export type LifecycleClockRow = { id: number; wall_ms: number; uptime_ms: number; machine_boot: string }

export type LifecycleTables = {
  survival_reports: SurvivalReportRow
  lifecycle_log: LifecycleLogRow
  lifecycle_clock: LifecycleClockRow
}

export async function createLifecycleTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('survival_reports')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('sandbox_id', 'text', (column) => column.notNull())
    .addColumn('boot_id', 'text', (column) => column.notNull())
    .addColumn('woken_at', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('json', 'text', (column) => column.notNull())
    .addColumn('before_json', 'text')
    .addColumn('rescue_json', 'text')
    .addColumn('entry_id', 'text', (column) => column.notNull())
    .addColumn('is_told', 'integer', (column) => column.notNull())
    .execute()
  await database.schema
    .createIndex('survival_reports_thread_idx')
    .on('survival_reports')
    .columns(['thread_id', 'woken_at'])
    .execute()
  await database.schema
    .createTable('lifecycle_log')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('params_json', 'text', (column) => column.notNull())
    .addColumn('report_id', 'text')
    .execute()
  await database.schema
    .createIndex('lifecycle_log_thread_idx')
    .on('lifecycle_log')
    .columns(['thread_id', 'position'])
    .execute()
  await database.schema
    .createTable('lifecycle_clock')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('wall_ms', 'bigint', (column) => column.notNull())
    .addColumn('uptime_ms', 'bigint', (column) => column.notNull())
    .addColumn('machine_boot', 'text', (column) => column.notNull())
    .execute()
}
