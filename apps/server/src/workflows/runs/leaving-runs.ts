import type { Kysely } from 'kysely'
import type { LeavingPart } from '../../people/public.ts'
import { idsOf } from '../../threads/public.ts'
import type { RunTables } from './runs.table.ts'

/**
 * Runs, schedules and webhooks of people who leave. They continue for the other person, without the connections of the
 * one who leaves. Erased, they go with the account’s row.
 */
export function makeLeavingRuns(dependencies: {
  database: Kysely<RunTables>
  /** The person’s own connections. */
  connectionIdsOf(userId: string): Promise<readonly string[]>
  nudge(): void
}): LeavingPart {
  const { database, connectionIdsOf, nudge } = dependencies
  const count = async (table: 'run_schedules' | 'run_webhooks', userId: string) => {
    const rows = database.selectFrom(table).select(({ fn }) => fn.countAll().as('count'))
    return Number((await rows.where('user_id', '=', userId).executeTakeFirst())?.count ?? 0)
  }
  return {
    counts: async (userId) => ({
      schedules: await count('run_schedules', userId),
      webhooks: await count('run_webhooks', userId),
    }),
    handOver: async ({ from, to, threadIds }) => {
      if (threadIds !== 'all') return
      const personal = new Set(await connectionIdsOf(from))
      for (const table of ['run_schedules', 'run_webhooks'] as const) {
        const rows = await database
          .selectFrom(table)
          .select(['id', 'connection_ids_json'])
          .where('user_id', '=', from)
          .execute()
        for (const { id, connection_ids_json } of rows) {
          const kept = (idsOf(connection_ids_json) ?? []).filter((connectionId) => !personal.has(connectionId))
          await database
            .updateTable(table)
            .set({ user_id: to, connection_ids_json: JSON.stringify(kept) })
            .where('id', '=', id)
            .execute()
        }
      }
      // A key of a request is one person’s: the other one could have used the same.
      await database.updateTable('runs').set({ user_id: to, request_key: null }).where('user_id', '=', from).execute()
      nudge()
    },
  }
}
