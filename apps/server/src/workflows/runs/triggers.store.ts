import type { Kysely } from 'kysely'
import type { RunWriter } from './runs.store.ts'
import type { RunTables, ScheduleRow, WebhookRow } from './runs.table.ts'

/** The only code that accesses `run_schedules` and `run_due_times`. */
export type ScheduleStore = {
  find(id: string): Promise<ScheduleRow | undefined>
  /** Oldest first. */
  list(agentId: string): Promise<ScheduleRow[]>
  insert(row: ScheduleRow): Promise<void>
  update(id: string, columns: Partial<Omit<ScheduleRow, 'id' | 'agent_id' | 'created_at'>>): Promise<void>
  remove(id: string): Promise<void>
  /** Enabled schedules that are due, and those that were planned while the clock was ahead of `now`. */
  due(now: number): Promise<ScheduleRow[]>
  nextDueAt(): Promise<number | undefined>
  /** The next due time of each of these agents that has an enabled schedule with one. */
  nextDueOf(agentIds: readonly string[]): Promise<Map<string, number>>
  /** Sets the next due time. False if the schedule has changed since it was read. */
  advance(row: ScheduleRow, next: { dueAt: number | null; now: number }, writer: RunWriter): Promise<boolean>
  /** Records a due time as handled. False if it already was. */
  take(dueTime: { scheduleId: string; dueAt: number; now: number }, writer: RunWriter): Promise<boolean>
  pruneDueTimes(before: number): Promise<void>
}

export function makeScheduleStore(database: Kysely<RunTables>): ScheduleStore {
  const all = () => database.selectFrom('run_schedules').selectAll()
  return {
    find: (id) => all().where('id', '=', id).executeTakeFirst(),
    list: (agentId) => all().where('agent_id', '=', agentId).orderBy('created_at').orderBy('id').execute(),
    insert: async (row) => {
      await database.insertInto('run_schedules').values(row).execute()
    },
    update: async (id, columns) => {
      await database.updateTable('run_schedules').set(columns).where('id', '=', id).execute()
    },
    remove: async (id) => {
      await database.deleteFrom('run_schedules').where('id', '=', id).execute()
    },
    due: (now) =>
      all()
        .where('is_enabled', '=', 1)
        .where((row) => row.or([row('next_due_at', '<=', now), row('planned_at', '>', now)]))
        .orderBy('next_due_at')
        .execute(),
    nextDueAt: async () => {
      const rows = database.selectFrom('run_schedules').select((row) => row.fn.min('next_due_at').as('at'))
      const row = await rows.where('is_enabled', '=', 1).executeTakeFirst()
      return row?.at == null ? undefined : Number(row.at)
    },
    nextDueOf: async (agentIds) => {
      if (agentIds.length === 0) return new Map()
      const rows = database
        .selectFrom('run_schedules')
        .select((row) => ['agent_id', row.fn.min('next_due_at').as('at')])
        .where('is_enabled', '=', 1)
        .where('next_due_at', 'is not', null)
        .where('agent_id', 'in', agentIds)
      return new Map((await rows.groupBy('agent_id').execute()).map((row) => [row.agent_id, Number(row.at)]))
    },
    advance: async (row, next, writer) => {
      const same = writer
        .updateTable('run_schedules')
        .set({ next_due_at: next.dueAt, planned_at: next.now })
        .where('id', '=', row.id)
        .where('planned_at', '=', row.planned_at)
        .where('is_enabled', '=', 1)
      const result = await (row.next_due_at === null
        ? same.where('next_due_at', 'is', null)
        : same.where('next_due_at', '=', row.next_due_at)
      ).executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    take: async ({ scheduleId, dueAt, now }, writer) => {
      const result = await writer
        .insertInto('run_due_times')
        .values({ schedule_id: scheduleId, due_at: dueAt, handled_at: now })
        .onConflict((conflict) => conflict.columns(['schedule_id', 'due_at']).doNothing())
        .executeTakeFirst()
      return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
    },
    pruneDueTimes: async (before) => {
      await database.deleteFrom('run_due_times').where('due_at', '<', before).where('handled_at', '<', before).execute()
    },
  }
}

/** The only code that accesses `run_webhooks` and `run_webhook_deliveries`. */
export type WebhookStore = {
  find(id: string): Promise<WebhookRow | undefined>
  /** Oldest first. */
  list(agentId: string): Promise<WebhookRow[]>
  insert(row: WebhookRow): Promise<void>
  update(id: string, columns: Partial<Omit<WebhookRow, 'id' | 'agent_id' | 'created_at'>>): Promise<void>
  /** False if the webhook was deleted or its secret replaced since it was read. */
  replaceSecret(row: Pick<WebhookRow, 'id' | 'sealed_secret'>, sealedSecret: string): Promise<boolean>
  remove(id: string): Promise<void>
  /** Records a message ID for a run. False if it was already used. */
  take(
    delivery: { webhookId: string; messageId: string; runId: string; now: number },
    writer: RunWriter,
  ): Promise<boolean>
  /** The run that a message started. */
  runOf(webhookId: string, messageId: string): Promise<string | undefined>
  pruneDeliveries(before: number): Promise<void>
}

export function makeWebhookStore(database: Kysely<RunTables>): WebhookStore {
  const all = () => database.selectFrom('run_webhooks').selectAll()
  return {
    find: (id) => all().where('id', '=', id).executeTakeFirst(),
    list: (agentId) => all().where('agent_id', '=', agentId).orderBy('created_at').orderBy('id').execute(),
    insert: async (row) => {
      await database.insertInto('run_webhooks').values(row).execute()
    },
    update: async (id, columns) => {
      await database.updateTable('run_webhooks').set(columns).where('id', '=', id).execute()
    },
    replaceSecret: async ({ id, sealed_secret }, sealedSecret) => {
      const replaced = await database
        .updateTable('run_webhooks')
        .set({ sealed_secret: sealedSecret })
        .where('id', '=', id)
        .where('sealed_secret', '=', sealed_secret)
        .executeTakeFirst()
      return replaced.numUpdatedRows > 0n
    },
    remove: async (id) => {
      await database.deleteFrom('run_webhooks').where('id', '=', id).execute()
    },
    take: async ({ webhookId, messageId, runId, now }, writer) => {
      const result = await writer
        .insertInto('run_webhook_deliveries')
        .values({ webhook_id: webhookId, message_id: messageId, run_id: runId, received_at: now })
        .onConflict((conflict) => conflict.columns(['webhook_id', 'message_id']).doNothing())
        .executeTakeFirst()
      if ((result.numInsertedOrUpdatedRows ?? 0n) === 0n) return false
      await writer.updateTable('run_webhooks').set({ last_used_at: now }).where('id', '=', webhookId).execute()
      return true
    },
    runOf: async (webhookId, messageId) => {
      const rows = database.selectFrom('run_webhook_deliveries').select('run_id').where('webhook_id', '=', webhookId)
      return (await rows.where('message_id', '=', messageId).executeTakeFirst())?.run_id
    },
    pruneDeliveries: async (before) => {
      await database.deleteFrom('run_webhook_deliveries').where('received_at', '<', before).execute()
    },
  }
}
