import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { makeLifecycleBench } from '../../sandboxes/lifecycle/lifecycle.test-utils.ts'
import type { CallRecord, StepRecord, TurnRecord } from './turn-record.ts'
import { makeTurnHistory } from './turns.store.ts'
import { addKeptOutput, type TurnTables } from './turns.table.ts'

onBothDatabases((target) => {
  test('calls from before outputs had a limit are kept whole after the migration and count with all bytes', async () => {
    await using bench = await makeLifecycleBench(await target())
    const { open } = bench.server
    const history = makeTurnHistory(tablesOf<TurnTables>(open.database))
    const { threadId } = bench
    const turn: TurnRecord = {
      id: 'turn',
      threadId,
      ordinal: 0,
      mode: 'agent',
      status: 'finished',
      isStopRequested: false,
      isUnattended: false,
      authorId: null,
      firstModelId: null,
      modelId: null,
      modelName: null,
      userEntryId: 'entry',
      userText: 'Do it',
      attachments: [],
      note: null,
      noteCodes: [],
      startedAt: 1,
      allowanceFromStep: 0,
      allowanceFrom: 1,
      steps: [],
    }
    await history.addTurn(turn, history.writer)
    const step: StepRecord = {
      id: 'step',
      turnId: 'turn',
      index: 0,
      provider: 'direct',
      status: 'finished',
      isFinal: true,
      messages: [],
      entryIds: [],
      inputTokens: 0,
      outputTokens: 0,
      cachedInputTokens: 0,
      costUsd: null,
      estimatedTokens: 0,
      note: null,
      calls: [],
    }
    await history.addStep(step, threadId, history.writer)
    const call: CallRecord = {
      id: 'call',
      stepId: 'step',
      turnId: 'turn',
      threadId,
      index: 0,
      tool: 'run_command',
      input: {},
      status: 'succeeded',
      bootId: null,
      outputBytes: 0,
      keptOutputBytes: null,
      displays: 0,
      plan: null,
      output: null,
      stillRunning: [],
    }
    const add = (id: string, outputBytes: number) => history.addCall({ ...call, id, outputBytes }, history.writer)
    await add('before', 5_000_000_000)
    await open.database.schema.dropIndex('tool_calls_thread_idx').execute()
    await open.database.schema.alterTable('tool_calls').dropColumn('output_kept_bytes').execute()
    await addKeptOutput(open.database as unknown as Kysely<never>)
    expect(await history.call(threadId, 'before')).toMatchObject({ outputBytes: 5_000_000_000, keptOutputBytes: null })
    await add('later', 9_000_000_000)
    await history.changeCall('later', { keptOutputBytes: 67_000_000 }, history.writer)
    expect(await history.keptOutputBytes(threadId, 'none')).toBe(5_067_000_000)
    expect(await history.keptOutputBytes(threadId, 'before')).toBe(67_000_000)
    expect(await history.keptOutputBytes('none', 'none')).toBe(0)
  })
})
