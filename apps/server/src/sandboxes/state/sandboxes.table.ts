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
  /** Limits that this thread has of its own, as JSON. The installation’s limits apply otherwise. */
  own_limits_json: string | null
  /** 1 if the sandbox has run, so that its disk has content. */
  has_run: number
  /** The last use that counts for the idle time and the retention. Recorded now and then, not at each use. */
  used_at: number
  /** Since when it is awake without interruption; null while it sleeps. */
  awake_since: number | null
  /** 1 if the coming end of its longest time awake was announced. */
  limit_announced: number
  held_until: number | null
  /** When its memory was saved; null if it has no saved memory. */
  paused_at: number | null
  pause_cause: string | null
  is_frozen: number
  image_bytes: number | null
  /** Why the next start does not restore memory: code and detail as JSON. */
  cause_json: string | null
  /** An order that the host has not confirmed yet, as JSON: a rewind or a demotion. */
  intent_json: string | null
  /** A wake whose report is not written yet: facts as JSON. Set together with the state, so no crash loses a report. */
  wake_json: string | null
  retention_announced_at: number | null
  /** Policy values that this thread has of its own. */
  idle_pause_minutes: number | null
  hot_hours: number | null
  hot_keep: string | null
  max_awake_hours: number | null
  /** 0: never, also if the installation has a limit. */
  retention_days: number | null
  max_services: number | null
  /** What the host last confirmed that the sandbox reaches, as JSON; null while it has none. */
  egress_json: string | null
}

/**
 * What was alive in a sandbox before it slept, as reported by the guest. Separate from the sandbox, because it is
 * large.
 */
export type SandboxMemoryRow = {
  sandbox_id: string
  manifest_json: string | null
  /** What a demotion rescued. */
  rescue_json: string | null
}

export type SandboxTables = { sandboxes: SandboxRow; sandbox_memories: SandboxMemoryRow }

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

/** Columns for sleep, wakes and the policy. */
export async function addLifecycleColumns(database: Kysely<never>): Promise<void> {
  const whole = ['used_at', 'has_run', 'limit_announced', 'is_frozen'] as const
  for (const name of whole) {
    await database.schema
      .alterTable('sandboxes')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  }
  const moments = ['awake_since', 'held_until', 'paused_at', 'image_bytes', 'retention_announced_at'] as const
  for (const name of moments) await database.schema.alterTable('sandboxes').addColumn(name, 'bigint').execute()
  const texts = [
    'own_limits_json',
    'pause_cause',
    'manifest_json',
    'rescue_json',
    'cause_json',
    'wake_json',
    'hot_keep',
  ]
  for (const name of texts) await database.schema.alterTable('sandboxes').addColumn(name, 'text').execute()
  const numbers = ['idle_pause_minutes', 'hot_hours', 'max_awake_hours', 'retention_days']
  for (const name of numbers) {
    await database.schema.alterTable('sandboxes').addColumn(name, 'double precision').execute()
  }
  await database.schema
    .createTable('sandbox_memories')
    .addColumn('sandbox_id', 'text', (column) => column.primaryKey().references('sandboxes.id').onDelete('cascade'))
    .addColumn('manifest_json', 'text')
    .addColumn('rescue_json', 'text')
    .execute()
  // Every existing sandbox has run, or has nothing to lose. An active one begins its time awake now.
  const sandboxes = database as unknown as Kysely<SandboxTables>
  await sandboxes
    .updateTable('sandboxes')
    .set((builder) => ({ has_run: 1, used_at: builder.ref('since') }))
    .where('state', '!=', 'fresh')
    .execute()
  await sandboxes
    .updateTable('sandboxes')
    .set((builder) => ({ awake_since: builder.ref('since') }))
    .where('state', '=', 'active')
    .execute()
}

/** A thread can have its own number of services. */
export async function addServiceColumn(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('sandboxes').addColumn('max_services', 'integer').execute()
}

/** What the host was ordered, so that a change that did not reach it is ordered again. */
export async function addEgressColumn(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('sandboxes').addColumn('egress_json', 'text').execute()
}

type RewindsBefore = {
  rewinds: { thread_id: string; state: string; keep_id: string; undo_keep_id: string | null; sandbox_id: string | null }
}

/**
 * Gives orders a column. Before, the cause of the next start implied them: the cause of a rewind while the rewind is
 * unfinished, and discarded memory while the sandbox is still paused.
 */
export async function addIntentColumn(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('sandboxes').addColumn('intent_json', 'text').execute()
  const tables = database as unknown as Kysely<SandboxTables & RewindsBefore>
  const ordered = async (id: string, intent: object) => {
    await tables
      .updateTable('sandboxes')
      .set({ intent_json: JSON.stringify(intent) })
      .where('id', '=', id)
      .execute()
  }
  const rows = await tables
    .selectFrom('sandboxes')
    .select(['id', 'state', 'cause_json'])
    .where('cause_json', 'is not', null)
    .execute()
  const rewinds = await tables.selectFrom('rewinds').selectAll().where('state', '!=', 'done').execute()
  for (const { id, state, cause_json } of rows) {
    const { code: cause, detail } = JSON.parse(cause_json ?? '{}') as { code: string; detail: string }
    const rewind = rewinds.find(({ sandbox_id }) => sandbox_id === id)
    if (rewind !== undefined && (cause === 'rewound' || cause === 'rewind-undone')) {
      const keepId = rewind.state === 'undoing' ? (rewind.undo_keep_id ?? rewind.keep_id) : rewind.keep_id
      await ordered(id, { kind: 'rewind', keepId, cause })
    }
    if (state === 'paused' && cause === 'memory-given-up') {
      await ordered(id, { kind: 'demote', reason: detail.startsWith('Its room') ? 'budget' : 'time' })
    }
  }
}
