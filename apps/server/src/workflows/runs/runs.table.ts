import type { Kysely } from 'kysely'

export type RunRow = {
  id: string
  agent_id: string
  agent_version: number
  /** The user on whose behalf it runs. */
  user_id: string
  trigger: string
  /** The schedule or webhook, which possibly no longer exists; null: started by a user or through the API. */
  trigger_id: string | null
  due_at: number | null
  /** 1: does not begin while another run of the same trigger is running. */
  is_exclusive: number
  missed: number
  request_key: string | null
  title: string
  input: string
  status: string
  reason_json: string | null
  /** Chosen before the thread is created, so that a retry after a crash creates the same one. */
  thread_id: string | null
  /** Null until the message was accepted. */
  turn_id: string | null
  is_cancel_requested: number
  attempts: number
  /** A run that could not begin is not retried before this time. */
  not_before: number
  created_at: number
  started_at: number | null
  ended_at: number | null
  usage_json: string | null
  output: string | null
  /**
   * Orders the ended runs of an agent, because clocks can be set back; 0: ended before this column existed, or never
   * began.
   */
  end_order: number
  /**
   * When its thread was marked as deleted because the agent keeps fewer. Set once: a thread that a user restores is
   * kept.
   */
  thread_removed_at: number | null
  /** Of its schedule or webhook; null: started by a user or through the API. */
  connection_ids_json: string | null
  /** What its sandbox can reach at most, as JSON; null: as the agent allows. */
  network_json: string | null
}

/** An agent that keeps the threads of a limited number of its newest runs. */
export type RunKeepRow = { agent_id: string; keep: number }

export type ScheduleRow = {
  id: string
  agent_id: string
  user_id: string
  name: string
  cron: string
  time_zone: string
  input: string
  /** Null: the current version. */
  agent_version: number | null
  overlap: string
  missed: string
  is_enabled: number
  /** Null: the schedule has no further times. */
  next_due_at: number | null
  /** When `next_due_at` was computed: a clock that is before this time was set back. */
  planned_at: number
  created_at: number
  /** What its runs can use if the agent names no connections: those that its user had when it was last saved. */
  connection_ids_json: string
  /** Of its runs. */
  network_json: string | null
}

/** A handled due time. It is recorded once, regardless of clock changes and restarts. */
export type DueTimeRow = { schedule_id: string; due_at: number; handled_at: number }

export type WebhookRow = {
  id: string
  agent_id: string
  user_id: string
  name: string
  input: string
  agent_version: number | null
  sealed_secret: string
  is_enabled: number
  created_at: number
  last_used_at: number | null
  /** As of a schedule. */
  connection_ids_json: string
  network_json: string | null
}

/** An accepted request by the ID that its sender set: another request with this ID is a replay. */
export type WebhookDeliveryRow = { webhook_id: string; message_id: string; run_id: string; received_at: number }

export type RunTables = {
  runs: RunRow
  run_schedules: ScheduleRow
  run_due_times: DueTimeRow
  run_webhooks: WebhookRow
  run_webhook_deliveries: WebhookDeliveryRow
  run_keeps: RunKeepRow
}

export async function createRunTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<RunTables>
  await createRuns(tables)
  await createSchedules(tables)
  await createWebhooks(tables)
}

/** Adds the limit of runs whose threads an agent keeps. */
export async function addKeptRuns({ schema }: Kysely<never>): Promise<void> {
  await schema
    .createTable('run_keeps')
    .addColumn('agent_id', 'text', (column) => column.primaryKey().references('agents.id').onDelete('cascade'))
    .addColumn('keep', 'integer', (column) => column.notNull())
    .execute()
  await schema
    .alterTable('runs')
    .addColumn('end_order', 'integer', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema.alterTable('runs').addColumn('thread_removed_at', 'bigint').execute()
  await schema.createIndex('runs_end_idx').on('runs').columns(['agent_id', 'end_order']).execute()
}

/** Adds a network policy of their own to runs, schedules and webhooks; those that exist have none. */
export async function addRunNetworks({ schema }: Kysely<never>): Promise<void> {
  for (const table of ['runs', 'run_schedules', 'run_webhooks']) {
    await schema.alterTable(table).addColumn('network_json', 'text').execute()
  }
}

/** Schedules and webhooks get what their runs could use until now; connections that are added later are not among it. */
export async function addTriggerConnections(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<RunTables & LinkedConnections & { agents: LinkedAgents }>
  const json = 'connection_ids_json'
  await tables.schema.alterTable('runs').addColumn(json, 'text').execute()
  for (const table of ['run_schedules', 'run_webhooks'] as const) {
    await tables.schema
      .alterTable(table)
      .addColumn(json, 'text', (column) => column.notNull().defaultTo('[]'))
      .execute()
    const rows = await tables
      .selectFrom(table)
      .innerJoin('agents', 'agents.id', `${table}.agent_id`)
      .select([`${table}.id`, `${table}.user_id`, 'agents.workspace_id'])
      .execute()
    for (const { id, user_id, workspace_id } of rows) {
      const found = await tables
        .selectFrom('connections')
        .select('id')
        .where((row) =>
          row.or([
            row.and([row('user_id', '=', user_id), row('workspace_id', 'is', null)]),
            row('workspace_id', '=', workspace_id),
          ]),
        )
        .orderBy('id')
        .execute()
      const ids = { [json]: JSON.stringify(found.map((connection) => connection.id)) }
      await tables.updateTable(table).set(ids).where('id', '=', id).execute()
      await tables.updateTable('runs').set(ids).where('trigger_id', '=', id).where('ended_at', 'is', null).execute()
    }
  }
}

type LinkedAgents = { id: string; workspace_id: string | null }
type LinkedConnections = { connections: { id: string; user_id: string; workspace_id: string | null } }

async function createRuns({ schema }: Kysely<RunTables>): Promise<void> {
  await schema
    .createTable('runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('agent_version', 'integer', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('trigger', 'text', (column) => column.notNull())
    .addColumn('trigger_id', 'text')
    .addColumn('due_at', 'bigint')
    .addColumn('is_exclusive', 'integer', (column) => column.notNull())
    .addColumn('missed', 'integer', (column) => column.notNull())
    .addColumn('request_key', 'text')
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('input', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('reason_json', 'text')
    .addColumn('thread_id', 'text')
    .addColumn('turn_id', 'text')
    .addColumn('is_cancel_requested', 'integer', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('not_before', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('usage_json', 'text')
    .addColumn('output', 'text')
    .addUniqueConstraint('runs_key', ['agent_id', 'user_id', 'request_key'])
    .execute()
  await schema.createIndex('runs_agent_idx').on('runs').columns(['agent_id', 'created_at', 'id']).execute()
  await schema.createIndex('runs_status_idx').on('runs').columns(['status', 'user_id']).execute()
  await schema.createIndex('runs_trigger_idx').on('runs').columns(['trigger_id', 'status']).execute()
}

async function createSchedules({ schema }: Kysely<RunTables>): Promise<void> {
  await schema
    .createTable('run_schedules')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('cron', 'text', (column) => column.notNull())
    .addColumn('time_zone', 'text', (column) => column.notNull())
    .addColumn('input', 'text', (column) => column.notNull())
    .addColumn('agent_version', 'integer')
    .addColumn('overlap', 'text', (column) => column.notNull())
    .addColumn('missed', 'text', (column) => column.notNull())
    .addColumn('is_enabled', 'integer', (column) => column.notNull())
    .addColumn('next_due_at', 'bigint')
    .addColumn('planned_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await schema.createIndex('run_schedules_agent_idx').on('run_schedules').column('agent_id').execute()
  await schema
    .createTable('run_due_times')
    .addColumn('schedule_id', 'text', (column) => column.notNull().references('run_schedules.id').onDelete('cascade'))
    .addColumn('due_at', 'bigint', (column) => column.notNull())
    .addColumn('handled_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_due_times_pk', ['schedule_id', 'due_at'])
    .execute()
}

async function createWebhooks({ schema }: Kysely<RunTables>): Promise<void> {
  await schema
    .createTable('run_webhooks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('input', 'text', (column) => column.notNull())
    .addColumn('agent_version', 'integer')
    .addColumn('sealed_secret', 'text', (column) => column.notNull())
    .addColumn('is_enabled', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute()
  await schema.createIndex('run_webhooks_agent_idx').on('run_webhooks').column('agent_id').execute()
  await schema
    .createTable('run_webhook_deliveries')
    .addColumn('webhook_id', 'text', (column) => column.notNull().references('run_webhooks.id').onDelete('cascade'))
    .addColumn('message_id', 'text', (column) => column.notNull())
    .addColumn('run_id', 'text', (column) => column.notNull())
    .addColumn('received_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('run_webhook_deliveries_pk', ['webhook_id', 'message_id'])
    .execute()
}
