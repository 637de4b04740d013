import type { Attachment } from '@threadbox/protocol/public'
import type { Kysely } from 'kysely'
import { withoutDiskWait } from '../../platform/database/database.ts'
import type { TurnHistory } from './turn-history.ts'
import type { CallRecord, StepRecord, TurnRecord } from './turn-record.ts'
import type { ToolCallRow, TurnRunRow, TurnStepRow, TurnTables } from './turns.table.ts'

/** The only code that touches `turn_runs`, `turn_steps`, `tool_calls` and `compactions`. */
export function makeTurnHistory(database: Kysely<TurnTables>): TurnHistory {
  const whole = async (rows: TurnRunRow[]) => assemble(database, rows)
  return {
    writer: database,
    turn: async (turnId) =>
      (await whole(await database.selectFrom('turn_runs').selectAll().where('id', '=', turnId).execute()))[0],
    lastTurn: async (threadId) => {
      const rows = database.selectFrom('turn_runs').selectAll().where('thread_id', '=', threadId)
      return (await whole(await rows.orderBy('ordinal', 'desc').limit(1).execute()))[0]
    },
    turnOfEntry: async (threadId, userEntryId) => {
      const rows = database.selectFrom('turn_runs').selectAll().where('thread_id', '=', threadId)
      return (await whole(await rows.where('user_entry_id', '=', userEntryId).execute()))[0]
    },
    turnsFrom: async (threadId, ordinal) => {
      const rows = database.selectFrom('turn_runs').selectAll().where('thread_id', '=', threadId)
      return whole(await rows.where('ordinal', '>=', ordinal).orderBy('ordinal').execute())
    },
    turnIds: async (threadId) => {
      const rows = database.selectFrom('turn_runs').select('id').where('thread_id', '=', threadId)
      return (await rows.execute()).map(({ id }) => id)
    },
    runningTurn: async (threadId) => {
      const rows = database.selectFrom('turn_runs').select('id').where('thread_id', '=', threadId)
      return (await rows.where('status', '=', 'running').executeTakeFirst())?.id
    },
    runningTurns: async () => {
      const rows = await database
        .selectFrom('turn_runs')
        .select(['id', 'thread_id'])
        .where('status', '=', 'running')
        .execute()
      return rows.map((row) => ({ id: row.id, threadId: row.thread_id }))
    },
    call: async (threadId, callId) => {
      const rows = database.selectFrom('tool_calls').selectAll().where('id', '=', callId)
      const row = await rows.where('thread_id', '=', threadId).executeTakeFirst()
      return row === undefined ? undefined : callOf(row)
    },
    beginStep: (step, threadId) =>
      withoutDiskWait(database, (transaction) => writes.addStep(step, threadId, transaction)),
    keptOutputBytes: (threadId, exceptCallId) => keptOutputBytes(database, { threadId, exceptCallId }),
    lastCompaction: async (threadId) => {
      const rows = database.selectFrom('compactions').selectAll().where('thread_id', '=', threadId)
      const row = await rows.orderBy('turn_ordinal', 'desc').orderBy('step_index', 'desc').limit(1).executeTakeFirst()
      if (row === undefined) return undefined
      const { id, summary } = row
      const files = JSON.parse(row.files_json) as string[]
      const boundary = { turnOrdinal: row.turn_ordinal, stepIndex: row.step_index }
      return { id, threadId, ...boundary, summary, files, createdAt: row.created_at }
    },
    lastMeasure: async (threadId) => {
      const row = await database
        .selectFrom('turn_steps')
        .innerJoin('turn_runs', 'turn_runs.id', 'turn_steps.turn_id')
        .select(['turn_steps.input_tokens', 'turn_steps.estimated_tokens'])
        .where('turn_steps.thread_id', '=', threadId)
        .where('turn_steps.status', '=', 'finished')
        .where('turn_steps.input_tokens', '>', 0)
        .orderBy('turn_runs.ordinal', 'desc')
        .orderBy('turn_steps.step_index', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row === undefined ? undefined : { inputTokens: row.input_tokens, estimatedTokens: row.estimated_tokens }
    },
    nextOrdinal: async (threadId, writer) => {
      const rows = writer.selectFrom('turn_runs').select('ordinal').where('thread_id', '=', threadId)
      const last = await rows.orderBy('ordinal', 'desc').limit(1).executeTakeFirst()
      return (last?.ordinal ?? 0) + 1
    },
    countAgentTurns: async (threadId) => {
      const rows = database.selectFrom('turn_runs').select('id').where('thread_id', '=', threadId)
      return (await rows.where('mode', '=', 'agent').limit(2).execute()).length
    },
    unansweredTurns: async (limit) => {
      const rows = await database
        .selectFrom('turn_runs')
        .select(['id', 'thread_id', 'user_text'])
        .where('mode', '=', 'direct')
        .where('id', 'not in', (steps) => steps.selectFrom('turn_steps').select('turn_id'))
        .where('ordinal', '=', (others) =>
          others
            .selectFrom('turn_runs as other')
            .select((expression) => expression.fn.max('other.ordinal').as('last'))
            .whereRef('other.thread_id', '=', 'turn_runs.thread_id'),
        )
        .orderBy('started_at', 'desc')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ id: row.id, threadId: row.thread_id, userText: row.user_text }))
    },
    ...writes,
  }
}

async function keptOutputBytes(
  database: Kysely<TurnTables>,
  { threadId, exceptCallId }: { threadId: string; exceptCallId: string },
): Promise<number> {
  const calls = database.selectFrom('tool_calls').where('thread_id', '=', threadId).where('id', '!=', exceptCallId)
  const { bytes } = await calls
    .select(({ fn }) => fn.sum<number | string | null>(fn.coalesce('output_kept_bytes', 'output_bytes')).as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

const writes: Pick<
  TurnHistory,
  'addTurn' | 'changeTurn' | 'removeTurnsFrom' | 'addStep' | 'changeStep' | 'addCall' | 'changeCall' | 'addCompaction'
> = {
  addTurn: async (turn, writer) => {
    await writer.insertInto('turn_runs').values(turnRow(turn)).execute()
  },
  changeTurn: async (turnId, change, writer) => {
    const columns = defined({
      mode: change.mode,
      status: change.status,
      stop_requested: change.isStopRequested === undefined ? undefined : Number(change.isStopRequested),
      model_id: change.modelId,
      model_name: change.modelName,
      first_model_id: change.firstModelId,
      allowance_from_step: change.allowanceFromStep,
      allowance_from: change.allowanceFrom,
      user_text: change.userText,
      note: change.note,
    })
    await writer.updateTable('turn_runs').set(columns).where('id', '=', turnId).execute()
  },
  removeTurnsFrom: async (threadId, ordinal, writer) => {
    const turns = writer.deleteFrom('turn_runs').where('thread_id', '=', threadId)
    const compactions = writer.deleteFrom('compactions').where('thread_id', '=', threadId)
    await compactions.where('turn_ordinal', '>=', ordinal).execute()
    await turns.where('ordinal', '>=', ordinal).execute()
  },
  addStep: async (step, threadId, writer) => {
    await writer.insertInto('turn_steps').values(stepRow(step, threadId)).execute()
  },
  changeStep: async (stepId, change, writer) => {
    const columns = defined({
      status: change.status,
      is_final: change.isFinal === undefined ? undefined : Number(change.isFinal),
      messages_json: change.messages === undefined ? undefined : JSON.stringify(change.messages),
      entry_ids_json: change.entryIds === undefined ? undefined : JSON.stringify(change.entryIds),
      input_tokens: change.inputTokens,
      output_tokens: change.outputTokens,
      cached_input_tokens: change.cachedInputTokens,
      cost_usd: change.costUsd,
      estimated_tokens: change.estimatedTokens,
      note: change.note,
    })
    await writer.updateTable('turn_steps').set(columns).where('id', '=', stepId).execute()
  },
  addCall: async (call, writer) => {
    await writer.insertInto('tool_calls').values(callRow(call)).execute()
  },
  changeCall: async (callId, change, writer) => {
    const columns = defined({
      status: change.status,
      boot_id: change.bootId,
      output_bytes: change.outputBytes,
      output_kept_bytes: change.keptOutputBytes,
      displays: change.displays,
      plan_json: change.plan === undefined ? undefined : JSON.stringify(change.plan),
      output_json: change.output === undefined ? undefined : JSON.stringify(change.output),
      still_running_json: change.stillRunning === undefined ? undefined : JSON.stringify(change.stillRunning),
    })
    await writer.updateTable('tool_calls').set(columns).where('id', '=', callId).execute()
  },
  addCompaction: async (compaction, writer) => {
    const row = {
      id: compaction.id,
      thread_id: compaction.threadId,
      turn_ordinal: compaction.turnOrdinal,
      step_index: compaction.stepIndex,
      summary: compaction.summary,
      files_json: JSON.stringify(compaction.files),
      created_at: compaction.createdAt,
    }
    await writer.insertInto('compactions').values(row).execute()
  },
}

async function assemble(database: Kysely<TurnTables>, rows: TurnRunRow[]): Promise<TurnRecord[]> {
  if (rows.length === 0) return []
  const ids = rows.map((row) => row.id)
  const steps = await database
    .selectFrom('turn_steps')
    .selectAll()
    .where('turn_id', 'in', ids)
    .orderBy('step_index')
    .execute()
  const calls = await database
    .selectFrom('tool_calls')
    .selectAll()
    .where('turn_id', 'in', ids)
    .orderBy('call_index')
    .execute()
  const callsByStep = Map.groupBy(calls.map(callOf), (call) => call.stepId)
  const stepsByTurn = Map.groupBy(
    steps.map((row) => stepOf(row, callsByStep.get(row.id) ?? [])),
    (step) => step.turnId,
  )
  return rows.map((row) => turnOf(row, stepsByTurn.get(row.id) ?? []))
}

function turnOf(row: TurnRunRow, steps: StepRecord[]): TurnRecord {
  return {
    id: row.id,
    threadId: row.thread_id,
    ordinal: row.ordinal,
    mode: row.mode as TurnRecord['mode'],
    status: row.status as TurnRecord['status'],
    isStopRequested: row.stop_requested === 1,
    isUnattended: row.is_unattended === 1,
    authorId: row.author_id,
    modelId: row.model_id,
    modelName: row.model_name,
    firstModelId: row.first_model_id,
    userEntryId: row.user_entry_id,
    userText: row.user_text,
    attachments: JSON.parse(row.attachments_json) as Attachment[],
    note: row.note,
    noteCodes: JSON.parse(row.note_codes_json) as string[],
    startedAt: row.started_at,
    allowanceFromStep: row.allowance_from_step,
    allowanceFrom: row.allowance_from,
    steps,
  }
}

function turnRow(turn: Omit<TurnRecord, 'steps'>): TurnRunRow {
  return {
    id: turn.id,
    thread_id: turn.threadId,
    ordinal: turn.ordinal,
    mode: turn.mode,
    status: turn.status,
    stop_requested: Number(turn.isStopRequested),
    is_unattended: Number(turn.isUnattended),
    author_id: turn.authorId,
    model_id: turn.modelId,
    model_name: turn.modelName,
    first_model_id: turn.firstModelId,
    user_entry_id: turn.userEntryId,
    user_text: turn.userText,
    attachments_json: JSON.stringify(turn.attachments),
    note: turn.note,
    note_codes_json: JSON.stringify(turn.noteCodes),
    started_at: turn.startedAt,
    allowance_from_step: turn.allowanceFromStep,
    allowance_from: turn.allowanceFrom,
  }
}

function stepOf(row: TurnStepRow, calls: CallRecord[]): StepRecord {
  return {
    id: row.id,
    turnId: row.turn_id,
    index: row.step_index,
    provider: row.provider,
    status: row.status as StepRecord['status'],
    isFinal: row.is_final === 1,
    messages: JSON.parse(row.messages_json) as StepRecord['messages'],
    entryIds: JSON.parse(row.entry_ids_json) as string[],
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    cachedInputTokens: row.cached_input_tokens,
    costUsd: row.cost_usd,
    estimatedTokens: row.estimated_tokens,
    note: row.note,
    calls,
  }
}

function stepRow(step: Omit<StepRecord, 'calls'>, threadId: string): TurnStepRow {
  return {
    id: step.id,
    turn_id: step.turnId,
    thread_id: threadId,
    step_index: step.index,
    provider: step.provider,
    status: step.status,
    is_final: Number(step.isFinal),
    messages_json: JSON.stringify(step.messages),
    entry_ids_json: JSON.stringify(step.entryIds),
    input_tokens: step.inputTokens,
    output_tokens: step.outputTokens,
    cached_input_tokens: step.cachedInputTokens,
    cost_usd: step.costUsd,
    estimated_tokens: step.estimatedTokens,
    note: step.note,
  }
}

function callOf(row: ToolCallRow): CallRecord {
  return {
    id: row.id,
    stepId: row.step_id,
    turnId: row.turn_id,
    threadId: row.thread_id,
    index: row.call_index,
    tool: row.tool,
    input: JSON.parse(row.input_json) as unknown,
    status: row.status as CallRecord['status'],
    bootId: row.boot_id,
    outputBytes: row.output_bytes,
    keptOutputBytes: row.output_kept_bytes,
    displays: row.displays,
    plan: row.plan_json === null ? null : (JSON.parse(row.plan_json) as unknown),
    output: row.output_json === null ? null : (JSON.parse(row.output_json) as CallRecord['output']),
    stillRunning: JSON.parse(row.still_running_json) as string[],
  }
}

function callRow(call: CallRecord): ToolCallRow {
  return {
    id: call.id,
    step_id: call.stepId,
    turn_id: call.turnId,
    thread_id: call.threadId,
    call_index: call.index,
    tool: call.tool,
    input_json: JSON.stringify(call.input ?? null),
    status: call.status,
    boot_id: call.bootId,
    output_bytes: call.outputBytes,
    output_kept_bytes: call.keptOutputBytes,
    displays: call.displays,
    plan_json: call.plan === null ? null : JSON.stringify(call.plan),
    output_json: call.output === null ? null : JSON.stringify(call.output),
    still_running_json: JSON.stringify(call.stillRunning),
  }
}

function defined<Columns extends Record<string, unknown>>(columns: Columns): Columns {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Columns
}
