import type { Kysely } from 'kysely'
import { type Quotas, sandboxesUsedUp } from '../../people/public.ts'
import { lockUntilEnd, tablesOf } from '../../platform/database/database.ts'
import type { ThreadRows, ThreadTables } from '../../threads/public.ts'
import type { SandboxRow, SandboxTables } from './sandboxes.table.ts'

type CountedTables = SandboxTables & Pick<ThreadTables, 'threads'>

/** Inserts the row of a sandbox, unless its thread has one. Throws `quota.sandboxes-used-up`. */
export type InsertSandbox = (row: SandboxRow) => Promise<void>

/** Whose sandbox it is, and how many they can have. */
type CountLimit = { userId: string; limit: number }

/**
 * How many sandboxes people have. All count, however long they sleep, also that of a deleted thread until it is removed: a thread
 * that is being forked is stored as a deleted one.
 */
export function makeSandboxCount(
  database: Kysely<unknown>,
  {
    rows,
    people,
  }: {
    rows: Pick<ThreadRows, 'findAny'>
    people: {
      quotas: Pick<Quotas, 'limits'>
      addMeter(meter: { quota: 'sandboxes'; read: (userId: string) => Promise<number> }): void
    }
  },
): InsertSandbox {
  const tables = tablesOf<CountedTables>(database)
  people.addMeter({ quota: 'sandboxes', read: (userId) => countOf(tables, userId) })
  const limitOf = async (threadId: string): Promise<CountLimit | undefined> => {
    const userId = (await rows.findAny(threadId))?.user_id
    const limit = userId === undefined ? null : (await people.quotas.limits(userId)).sandboxes
    return userId === undefined || limit === null ? undefined : { userId, limit }
  }
  return async (row) => {
    const person = await limitOf(row.thread_id)
    if (person === undefined) await insertSandbox(tables, row)
    else await insertWithin(tables, { row, person })
  }
}

/** Without a limit. */
export async function insertSandbox(database: Kysely<SandboxTables>, row: SandboxRow): Promise<void> {
  await database
    .insertInto('sandboxes')
    .values(row)
    .onConflict((conflict) => conflict.column('thread_id').doNothing())
    .execute()
}

async function insertWithin(
  database: Kysely<CountedTables>,
  { row, person: { userId, limit } }: { row: SandboxRow; person: CountLimit },
): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await lockUntilEnd(transaction, 'sandboxes', [userId])
    const present = transaction.selectFrom('sandboxes').select('id').where('thread_id', '=', row.thread_id)
    if ((await present.executeTakeFirst()) !== undefined) return
    const used = await countOf(transaction, userId)
    if (used >= limit) throw sandboxesUsedUp({ quota: 'sandboxes', used, limit })
    await insertSandbox(transaction as unknown as Kysely<SandboxTables>, row)
  })
}

async function countOf(database: Kysely<CountedTables>, userId: string): Promise<number> {
  const row = await database
    .selectFrom('sandboxes')
    .innerJoin('threads', 'threads.id', 'sandboxes.thread_id')
    .where('threads.user_id', '=', userId)
    .select((select) => select.fn.countAll<number>().as('count'))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}
