import type { ClockReading } from '@threadbox/domain'
import type { Kysely } from 'kysely'
import type { LogTransaction } from '../../threads/public.ts'
import type { LifecycleLogRow, LifecycleTables, SurvivalReportRow } from './lifecycle.table.ts'

type Writer = Kysely<LifecycleTables>

/** The only code that touches `survival_reports`, `lifecycle_log` and `lifecycle_clock`. */
export type LifecycleStore = {
  writer: Writer
  addReport(row: SurvivalReportRow, writer: Writer): Promise<void>
  changeReport(reportId: string, columns: Partial<SurvivalReportRow>, writer: Writer): Promise<void>
  report(reportId: string): Promise<SurvivalReportRow | undefined>
  latestReport(threadId: string): Promise<SurvivalReportRow | undefined>
  /** Reports that were unfinished when the server ended. */
  unfinished(): Promise<SurvivalReportRow[]>
  /** Reports that the agent has not got yet, oldest first. */
  untold(threadId: string): Promise<SurvivalReportRow[]>
  addLine(row: Omit<LifecycleLogRow, 'position'>, writer: Writer): Promise<void>
  /** Newest lines first. */
  lines(threadId: string, limit: number): Promise<LifecycleLogRow[]>
  clock(): Promise<(ClockReading & { machineBoot: string }) | undefined>
  setClock(reading: ClockReading & { machineBoot: string }): Promise<void>
}

/** The thread log’s transaction, typed for the lifecycle’s own tables. */
export function lifecycleWriterOf(transaction: LogTransaction): Writer {
  return transaction as unknown as Writer
}

export function makeLifecycleStore(database: Kysely<LifecycleTables>): LifecycleStore {
  const reports = () => database.selectFrom('survival_reports').selectAll()
  return {
    writer: database,
    addReport: async (row, writer) => {
      await writer
        .insertInto('survival_reports')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doNothing())
        .execute()
    },
    changeReport: async (reportId, columns, writer) => {
      await writer.updateTable('survival_reports').set(columns).where('id', '=', reportId).execute()
    },
    report: (reportId) => reports().where('id', '=', reportId).executeTakeFirst(),
    latestReport: (threadId) =>
      reports().where('thread_id', '=', threadId).orderBy('woken_at', 'desc').limit(1).executeTakeFirst(),
    unfinished: () => reports().where('status', '=', 'checking').execute(),
    untold: (threadId) =>
      reports().where('thread_id', '=', threadId).where('is_told', '=', 0).orderBy('woken_at').execute(),
    addLine: async (row, writer) => {
      const last = await writer
        .selectFrom('lifecycle_log')
        .select((builder) => builder.fn.max('position').as('position'))
        .where('thread_id', '=', row.thread_id)
        .executeTakeFirst()
      const position = Number(last?.position ?? 0) + 1
      await writer
        .insertInto('lifecycle_log')
        .values({ ...row, position })
        .execute()
    },
    lines: (threadId, limit) =>
      database
        .selectFrom('lifecycle_log')
        .selectAll()
        .where('thread_id', '=', threadId)
        .orderBy('position', 'desc')
        .limit(limit)
        .execute(),
    clock: async () => {
      const row = await database.selectFrom('lifecycle_clock').selectAll().where('id', '=', 1).executeTakeFirst()
      if (row === undefined) return undefined
      return { wallMs: row.wall_ms, uptimeMs: row.uptime_ms, machineBoot: row.machine_boot }
    },
    setClock: async ({ wallMs, uptimeMs, machineBoot }) => {
      const columns = { wall_ms: Math.round(wallMs), uptime_ms: Math.round(uptimeMs), machine_boot: machineBoot }
      await database
        .insertInto('lifecycle_clock')
        .values({ id: 1, ...columns })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
        .execute()
    },
  }
}
