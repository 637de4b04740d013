import type { Kysely } from 'kysely'
import type { ThreadTables } from '../../threads/public.ts'
import type { TurnTables } from './turns.table.ts'

/** The number of a person’s messages in threads of others. */
export async function countMessagesToOthers(
  database: Kysely<TurnTables & Pick<ThreadTables, 'threads'>>,
  userId: string,
): Promise<number> {
  const row = await database
    .selectFrom('turn_runs')
    .innerJoin('threads', 'threads.id', 'turn_runs.thread_id')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('turn_runs.author_id', '=', userId)
    .where('threads.user_id', '!=', userId)
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}
