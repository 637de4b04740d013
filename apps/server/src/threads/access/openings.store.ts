import type { Kysely } from 'kysely'
import type { OpeningTables } from './openings.table.ts'

/** The only code that touches `thread_openings`. */
export type OpeningStore = {
  put(opening: { threadId: string; userId: string; until: number }): Promise<void>
  holds(threadId: string, userId: string, now: number): Promise<boolean>
}

export function makeOpeningStore(database: Kysely<OpeningTables>): OpeningStore {
  return {
    put: async ({ threadId, userId, until }) => {
      await database
        .insertInto('thread_openings')
        .values({ thread_id: threadId, user_id: userId, until })
        .onConflict((conflict) => conflict.columns(['thread_id', 'user_id']).doUpdateSet({ until }))
        .execute()
    },
    holds: async (threadId, userId, now) => {
      const row = await database
        .selectFrom('thread_openings')
        .select('until')
        .where('thread_id', '=', threadId)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row !== undefined && row.until > now
    },
  }
}
