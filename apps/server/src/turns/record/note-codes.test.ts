import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { makeLifecycleBench } from '../../sandboxes/lifecycle/lifecycle.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { addNoteCodes } from './turns.table.ts'

/** Stored notes from before they had codes, with the codes that each of them contains. */
const stored: [note: string | null, codes: string[]][] = [
  [null, []],
  ['The user changed this message and sent it again. What you had done after it left the conversation.', []],
  [
    'This conversation is a fork: it began as a copy of another thread, which goes on by itself. It has no computer yet.',
    ['forked'],
  ],
  [
    'This conversation is a fork: it began as a copy of another thread, which goes on by itself. Its computer has a copy ' +
      'of the files of then.\n\nThe user rewound this conversation to before an earlier message. What came after it left ' +
      'the conversation. The files of the computer are those of then.',
    ['forked', 'rewound'],
  ],
]

onBothDatabases((target) => {
  test('a migration from before notes had codes records which turn contained which note', async () => {
    await using bench = await makeLifecycleBench(await target())
    const { open } = bench.server
    for (const [ordinal, [note]] of stored.entries()) {
      const row = {
        id: `turn${ordinal}`,
        thread_id: bench.threadId,
        ordinal,
        mode: 'agent',
        status: 'finished',
        stop_requested: 0,
        is_unattended: 0,
        model_id: null,
        model_name: null,
        user_entry_id: `entry${ordinal}`,
        user_text: 'Do it',
        attachments_json: '[]',
        note,
        note_codes_json: '[]',
        started_at: 1,
        allowance_from_step: 0,
        allowance_from: 1,
      }
      await tablesIn(open).insertInto('turn_runs').values(row).execute()
    }
    await open.database.schema.alterTable('turn_runs').dropColumn('note_codes_json').execute()
    await addNoteCodes(open.database as unknown as Kysely<never>)
    const turns = tablesIn(open).selectFrom('turn_runs').where('thread_id', '=', bench.threadId)
    const rows = await turns.select('note_codes_json').orderBy('ordinal').execute()
    expect(rows.map(({ note_codes_json }) => JSON.parse(note_codes_json))).toEqual(stored.map(([, codes]) => codes))
  })
})
