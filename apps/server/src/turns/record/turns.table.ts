import type { Kysely } from 'kysely'

/** What the engine needs to continue a turn after a crash. What readers see of the turn is in the thread's log. */
export type TurnRunRow = {
  id: string
  thread_id: string
  ordinal: number
  mode: string
  status: string
  stop_requested: number
  is_unattended: number
  author_id: string | null
  model_id: string | null
  model_name: string | null
  first_model_id: string | null
  user_entry_id: string
  user_text: string
  attachments_json: string
  note: string | null
  note_codes_json: string
  started_at: number
  allowance_from_step: number
  allowance_from: number
}

export type TurnStepRow = {
  id: string
  turn_id: string
  thread_id: string
  step_index: number
  provider: string
  status: string
  is_final: number
  messages_json: string
  entry_ids_json: string
  input_tokens: number
  output_tokens: number
  cached_input_tokens: number
  cost_usd: number | null
  estimated_tokens: number
  note: string | null
}

export type ToolCallRow = {
  id: string
  step_id: string
  turn_id: string
  thread_id: string
  call_index: number
  tool: string
  input_json: string
  status: string
  boot_id: string | null
  output_bytes: number
  output_kept_bytes: number | null
  displays: number
  plan_json: string | null
  output_json: string | null
  still_running_json: string
}

export type QueuedMessageRow = {
  entry_id: string
  thread_id: string
  turn_id: string
  position: number
  status: string
  text: string
  attachments_json: string
  is_unattended: number
  author_id: string | null
  created_at: number
}

/** The message that was created for a client's key, so that the same request sent again doesn't create a second one. */
export type MessageKeyRow = { thread_id: string; message_key: string; entry_id: string; turn_id: string }

export type CompactionRow = {
  id: string
  thread_id: string
  turn_ordinal: number
  step_index: number
  summary: string
  files_json: string
  created_at: number
}

export type TurnTables = {
  turn_runs: TurnRunRow
  turn_steps: TurnStepRow
  tool_calls: ToolCallRow
  queued_messages: QueuedMessageRow
  message_keys: MessageKeyRow
  compactions: CompactionRow
}

export async function createTurnTables(database: Kysely<never>): Promise<void> {
  await createTurnRuns(database)
  await createSteps(database)
  await createToolCalls(database)
  await createQueue(database)
  await createCompactions(database)
}

function threadTable(database: Kysely<never>, name: string) {
  return database.schema
    .createTable(name)
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
}

async function createTurnRuns(database: Kysely<never>): Promise<void> {
  await threadTable(database, 'turn_runs')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('ordinal', 'bigint', (column) => column.notNull())
    .addColumn('mode', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('stop_requested', 'integer', (column) => column.notNull())
    .addColumn('model_id', 'text')
    .addColumn('model_name', 'text')
    .addColumn('user_entry_id', 'text', (column) => column.notNull())
    .addColumn('user_text', 'text', (column) => column.notNull())
    .addColumn('attachments_json', 'text', (column) => column.notNull())
    .addColumn('note', 'text')
    .addColumn('started_at', 'bigint', (column) => column.notNull())
    .addColumn('allowance_from_step', 'bigint', (column) => column.notNull())
    .addColumn('allowance_from', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('turn_runs_ordinal', ['thread_id', 'ordinal'])
    .execute()
  // One turn of a thread can run at a time, also when several servers decide concurrently.
  await database.schema
    .createIndex('turn_runs_running_idx')
    .on('turn_runs')
    .columns(['thread_id'])
    .unique()
    .where('status' as never, '=', 'running' as never)
    .execute()
}

async function createSteps(database: Kysely<never>): Promise<void> {
  await threadTable(database, 'turn_steps')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('turn_id', 'text', (column) => column.notNull().references('turn_runs.id').onDelete('cascade'))
    .addColumn('step_index', 'integer', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('is_final', 'integer', (column) => column.notNull())
    .addColumn('messages_json', 'text', (column) => column.notNull())
    .addColumn('entry_ids_json', 'text', (column) => column.notNull())
    .addColumn('input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('output_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cached_input_tokens', 'bigint', (column) => column.notNull())
    .addColumn('cost_usd', 'double precision')
    .addColumn('estimated_tokens', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('turn_steps_index', ['turn_id', 'step_index'])
    .execute()
  await database.schema.createIndex('turn_steps_thread_idx').on('turn_steps').columns(['thread_id']).execute()
}

async function createToolCalls(database: Kysely<never>): Promise<void> {
  await threadTable(database, 'tool_calls')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('step_id', 'text', (column) => column.notNull().references('turn_steps.id').onDelete('cascade'))
    .addColumn('turn_id', 'text', (column) => column.notNull())
    .addColumn('call_index', 'integer', (column) => column.notNull())
    .addColumn('tool', 'text', (column) => column.notNull())
    .addColumn('input_json', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('boot_id', 'text')
    .addColumn('output_bytes', 'bigint', (column) => column.notNull())
    .addColumn('displays', 'integer', (column) => column.notNull())
    .addColumn('plan_json', 'text')
    .addColumn('output_json', 'text')
    .addColumn('still_running_json', 'text', (column) => column.notNull())
    .execute()
  await database.schema.createIndex('tool_calls_turn_idx').on('tool_calls').columns(['turn_id', 'call_index']).execute()
  await database.schema.createIndex('tool_calls_step_idx').on('tool_calls').columns(['step_id']).execute()
}

async function createQueue(database: Kysely<never>): Promise<void> {
  await threadTable(database, 'queued_messages')
    .addColumn('entry_id', 'text', (column) => column.primaryKey())
    .addColumn('turn_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('attachments_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createIndex('queued_messages_thread_idx')
    .on('queued_messages')
    .columns(['thread_id', 'position'])
    .execute()
  await threadTable(database, 'message_keys')
    .addColumn('message_key', 'text', (column) => column.notNull())
    .addColumn('entry_id', 'text', (column) => column.notNull())
    .addColumn('turn_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('message_keys_pk', ['thread_id', 'message_key'])
    .execute()
}

async function createCompactions(database: Kysely<never>): Promise<void> {
  await threadTable(database, 'compactions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('turn_ordinal', 'bigint', (column) => column.notNull())
    .addColumn('step_index', 'integer', (column) => column.notNull())
    .addColumn('summary', 'text', (column) => column.notNull())
    .addColumn('files_json', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createIndex('compactions_thread_idx')
    .on('compactions')
    .columns(['thread_id', 'turn_ordinal', 'step_index'])
    .execute()
}

/** How notes began before their codes were stored: as in databases of that time. */
const notesBefore = {
  forked: 'This conversation is a fork: it began as a copy of another thread',
  rewound: 'The user rewound this conversation to before an earlier message.',
}

/** Codes of the notes that a turn contained, beside their text. */
export async function addNoteCodes(database: Kysely<never>): Promise<void> {
  await database.schema
    .alterTable('turn_runs')
    .addColumn('note_codes_json', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  const tables = database as unknown as Kysely<TurnTables>
  const rowsWithNotes = await tables
    .selectFrom('turn_runs')
    .select(['id', 'note'])
    .where('note', 'is not', null)
    .execute()
  for (const { id, note } of rowsWithNotes) {
    const codes = Object.entries(notesBefore).flatMap(([code, text]) => (note?.includes(text) === true ? [code] : []))
    if (codes.length === 0) continue
    const note_codes_json = JSON.stringify(codes)
    await tables.updateTable('turn_runs').set({ note_codes_json }).where('id', '=', id).execute()
  }
}

/** Notes to the model before a step. */
export async function addStepNotes(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('turn_steps').addColumn('note', 'text').execute()
}

/** How much of an output is kept: null if all of it is, as before outputs had a limit. */
export async function addKeptOutput(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('tool_calls').addColumn('output_kept_bytes', 'bigint').execute()
  await database.schema.createIndex('tool_calls_thread_idx').on('tool_calls').columns(['thread_id']).execute()
}

/** A turn whose model can’t respond is continued by another one. */
export async function addFirstModel(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('turn_runs').addColumn('first_model_id', 'text').execute()
}

/** Messages from before have the thread’s creator as author. */
export async function addAuthors(database: Kysely<never>): Promise<void> {
  for (const table of ['turn_runs', 'queued_messages']) {
    await database.schema.alterTable(table).addColumn('author_id', 'text').execute()
  }
}
