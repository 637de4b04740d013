import type { Kysely, Transaction } from 'kysely'
import { lockUntilEnd } from '../../platform/database/database.ts'
import type { ThreadTables } from '../../threads/public.ts'
import type { AwakePlaceTables } from './awake-places.table.ts'
import type { SandboxTables } from './sandboxes.table.ts'

export type PlaceTables = AwakePlaceTables & SandboxTables & Pick<ThreadTables, 'threads'>

/** The only code that touches `awake_places`. */
export type AwakePlaceStore = {
  /**
   * Takes one of the person’s places for the thread’s sandbox, which is about to start or to wake. False if all are
   * taken, also by another server at the same moment.
   */
  take(place: { threadId: string; userId: string; limit: number; now: number }): Promise<boolean>
  /** How many sandboxes of the person’s threads are awake, or start. */
  count(userId: string): Promise<number>
  /** The sandboxes of the person’s threads that are awake. */
  awakeOf(userId: string): Promise<Set<string>>
}

/** In these states a sandbox needs memory. */
const awake = ['active', 'pausing']
/** In these it needs it once it has a place. */
const coming = ['starting', 'waking']

export function makeAwakePlaceStore(database: Kysely<PlaceTables>): AwakePlaceStore {
  return {
    take: ({ threadId, userId, limit, now }) =>
      database.transaction().execute(async (transaction) => {
        await lockUntilEnd(transaction, 'awake', [userId])
        const own = await transaction
          .selectFrom('sandboxes')
          .select('id')
          .where('thread_id', '=', threadId)
          .executeTakeFirst()
        if (own === undefined) return false
        // A place that it had when it was awake before.
        await transaction.deleteFrom('awake_places').where('sandbox_id', '=', own.id).execute()
        if ((await countOf(transaction, { userId, exceptId: own.id })) >= limit) return false
        const row = { sandbox_id: own.id, user_id: userId, taken_at: now }
        await transaction.insertInto('awake_places').values(row).execute()
        return true
      }),
    count: (userId) => countOf(database, { userId, exceptId: '' }),
    awakeOf: async (userId) => {
      const rows = await ofPerson(database, userId).select('sandboxes.id').where('state', '=', 'active').execute()
      return new Set(rows.map(({ id }) => id))
    },
  }
}

function ofPerson(database: Kysely<PlaceTables> | Transaction<PlaceTables>, userId: string) {
  return database
    .selectFrom('sandboxes')
    .innerJoin('threads', 'threads.id', 'sandboxes.thread_id')
    .where('threads.user_id', '=', userId)
}

async function countOf(
  database: Kysely<PlaceTables> | Transaction<PlaceTables>,
  { userId, exceptId }: { userId: string; exceptId: string },
): Promise<number> {
  const row = await ofPerson(database, userId)
    .leftJoin('awake_places', 'awake_places.sandbox_id', 'sandboxes.id')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('sandboxes.id', '!=', exceptId)
    .where((where) =>
      where.or([
        where('sandboxes.state', 'in', awake),
        where.and([where('sandboxes.state', 'in', coming), where('awake_places.sandbox_id', 'is not', null)]),
      ]),
    )
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}
