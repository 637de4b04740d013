import type { Kysely } from 'kysely'
import type { Quotas } from '../../people/public.ts'
import { tablesOf } from '../../platform/database/database.ts'
import type { ThreadRows } from '../../threads/public.ts'
import { type AwakePlaceStore, makeAwakePlaceStore, type PlaceTables } from './awake-places.store.ts'
import type { AwakeLimit } from './personal-queues.ts'

/** Which places people take, and how many sandboxes the creator of a thread can have awake; undefined: no limit. */
export type AwakeLimits = {
  places: AwakePlaceStore
  limitOf(threadId: string): Promise<AwakeLimit | undefined>
}

type PeopleWithLimits = {
  quotas: Pick<Quotas, 'limits'>
  addMeter(meter: { quota: 'awakeSandboxes'; read: AwakePlaceStore['count'] }): void
}

/** The places of people, which are what their limit of awake sandboxes counts, and the limit of a thread’s creator. */
export function makeAwakeLimits(
  database: Kysely<unknown>,
  { rows, people }: { rows: Pick<ThreadRows, 'findAny'>; people: PeopleWithLimits },
): AwakeLimits {
  const places = makeAwakePlaceStore(tablesOf<PlaceTables>(database))
  people.addMeter({ quota: 'awakeSandboxes', read: places.count })
  return {
    places,
    limitOf: async (threadId) => {
      const userId = (await rows.findAny(threadId))?.user_id
      const limit = userId === undefined ? null : (await people.quotas.limits(userId)).awakeSandboxes
      return userId === undefined || limit === null ? undefined : { userId, limit }
    },
  }
}
