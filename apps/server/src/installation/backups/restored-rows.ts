import { type Kysely, sql } from 'kysely'
import { tablesOf } from '../../platform/database/database.ts'
import type { SandboxTables } from '../../sandboxes/public.ts'

/**
 * Makes a copy of the database say what is true where it was restored: sandboxes have their files, and nothing runs; snapshots
 * are not there. With `asCopy`, nothing that others know leads to this installation, and nothing starts without a person.
 */
export async function settleRestored(
  database: Kysely<unknown>,
  { asCopy, now }: { asCopy: boolean; now: () => number },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await tablesOf<SandboxTables>(transaction)
      .updateTable('sandboxes')
      .set({
        state: 'cold',
        since: now(),
        boot_id: null,
        awake_since: null,
        paused_at: null,
        pause_cause: null,
        is_frozen: 0,
        image_bytes: null,
        intent_json: null,
        wake_json: null,
        egress_json: null,
      })
      .where('state', 'not in', ['fresh', 'archived', 'deleting'])
      .execute()
    await sql`delete from snapshots`.execute(transaction)
    await sql`update turn_snapshots set state = 'missed' where state = 'wanted'`.execute(transaction)
    await sql`delete from sessions`.execute(transaction)
    if (!asCopy) return
    await sql`update archives set is_shared = 1`.execute(transaction)
    for (const table of ['thread_links', 'preview_shares'])
      await sql`delete from ${sql.table(table)}`.execute(transaction)
    for (const table of ['run_schedules', 'run_webhooks']) {
      await sql`update ${sql.table(table)} set is_enabled = 0`.execute(transaction)
    }
  })
}

/** Sandboxes whose disks could not be restored start from their image: their threads have what was said, and no files. */
export async function forgetDisks(database: Kysely<unknown>, sandboxIds: readonly string[]): Promise<string[]> {
  if (sandboxIds.length === 0) return []
  const tables = tablesOf<SandboxTables>(database)
  const rows = await tables
    .updateTable('sandboxes')
    .set({ state: 'fresh', has_run: 0 })
    .where('id', 'in', [...sandboxIds])
    .returning('thread_id')
    .execute()
  return rows.map(({ thread_id }) => thread_id)
}

/** Those that have run, and so had files in the backup. The files of archived ones are where they were. */
export async function usedSandboxes(database: Kysely<unknown>): Promise<string[]> {
  const tables = tablesOf<SandboxTables>(database)
  const rows = await tables
    .selectFrom('sandboxes')
    .select('id')
    .where('has_run', '=', 1)
    .where('state', '<>', 'archived')
    .execute()
  return rows.map(({ id }) => id)
}
