import { defaultSandboxLimits } from '@threadbox/domain'
import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesOf } from '../../platform/database/database.ts'
import { makeLifecycleBench } from '../lifecycle/lifecycle.test-utils.ts'
import { columnsOf, newSandbox } from './sandbox-rows.ts'
import { addIntentColumn, type SandboxRow, type SandboxTables } from './sandboxes.table.ts'

/** Columns of a rewind before orders had a column of their own. */
type RewindBefore = { id: string; thread_id: string; state: string; keep_id: string; undo_keep_id: string | null }
type RewindColumns = RewindBefore & {
  position: number
  at: number
  ordinal: number
  notice_entry_id: string
  sandbox_id: string
}

const time = 'The time for which it is kept was over.'
const room = 'Its room on the disk was needed.'
const rows = {
  rewinding: { state: 'active', cause: 'rewound', rewind: 'begun' },
  undoing: { state: 'cold', cause: 'rewind-undone', rewind: 'undoing' },
  rewound: { state: 'cold', cause: 'rewound', rewind: 'done' },
  'not yet ordered': { state: 'active', rewind: 'begun' },
  'given up for its time': { state: 'paused', cause: 'memory-given-up', detail: time },
  'given up for room': { state: 'paused', cause: 'memory-given-up', detail: room },
  'given up before': { state: 'cold', cause: 'memory-given-up', detail: time },
  forked: { state: 'cold', cause: 'forked' },
  awake: { state: 'active' },
}

onBothDatabases((target) => {
  test('in a database from before the column, what a crash left ordered becomes an intent, and nothing else does', async () => {
    await using bench = await makeLifecycleBench(await target())
    const { open } = bench.server
    const tables = tablesOf<SandboxTables & { rewinds: RewindColumns }>(open.database)
    await open.database.schema.alterTable('sandboxes').dropColumn('intent_json').execute()
    for (const [id, row] of Object.entries(rows)) {
      const { state, cause, rewind, detail } = { cause: undefined, rewind: undefined, detail: '', ...row }
      const threadId = await bench.newThread()
      const { intent_json: _later, ...columns } = columnsOf(
        newSandbox({ id, threadId, now: 1, limits: defaultSandboxLimits }),
      )
      const cause_json = cause === undefined ? null : JSON.stringify({ code: cause, detail, pausedAt: null })
      const before = { ...columns, state, cause_json }
      await tables
        .insertInto('sandboxes')
        .values(before as SandboxRow)
        .execute()
      if (rewind === undefined) continue
      const keeps = { keep_id: 'keep', undo_keep_id: rewind === 'undoing' ? 'undo-keep' : null }
      const ids = { id, thread_id: threadId, sandbox_id: id, notice_entry_id: 'entry' }
      await tables
        .insertInto('rewinds')
        .values({ ...ids, ...keeps, state: rewind, position: 1, at: 1, ordinal: 1 })
        .execute()
    }
    await addIntentColumn(open.database as unknown as Kysely<never>)
    const found = await bench.server.areas.sandboxes.inside.store.all()
    expect(Object.fromEntries(found.map(({ id, intent }) => [id, intent]))).toEqual({
      rewinding: { kind: 'rewind', keepId: 'keep', cause: 'rewound' },
      undoing: { kind: 'rewind', keepId: 'undo-keep', cause: 'rewind-undone' },
      rewound: null,
      'not yet ordered': null,
      'given up for its time': { kind: 'demote', reason: 'time' },
      'given up for room': { kind: 'demote', reason: 'budget' },
      'given up before': null,
      forked: null,
      awake: null,
    })
    expect(found.find(({ id }) => id === 'undoing')?.cause).toEqual({
      code: 'rewind-undone',
      detail: '',
      pausedAt: null,
    })
  })
})
