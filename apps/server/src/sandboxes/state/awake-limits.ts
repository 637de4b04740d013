import type { Kysely } from 'kysely'
import type { Quotas } from '../../people/public.ts'
import { tablesOf } from '../../platform/database/database.ts'
import type { ThreadRows } from '../../threads/public.ts'
import { type AwakePlaceStore, makeAwakePlaceStore, type PlaceTables } from './awake-places.store.ts'
import type { StatePorts } from './state.ts'

type PeopleWithLimits = {
  quotas: Pick<Quotas, 'limits'>
  addMeter(meter: { quota: 'awakeSandboxes'; read: AwakePlaceStore['count'] }): void
}

/** The places of people, which are what their limit of awake sandboxes counts, and the limit of a thread’s creator. */
export function makeAwakeLimits(
  database: Kysely<unknown>,
  { rows, people }: { rows: Pick<ThreadRows, 'findAny'>; people: PeopleWithLimits },
): { places: AwakePlaceStore } & Pick<StatePorts, 'awakeLimitOf'> {
  const places = makeAwakePlaceStore(tablesOf<PlaceTables>(database))
  people.addMeter({ quota: 'awakeSandboxes', read: places.count })
  return {
    places,
    awakeLimitOf: async (threadId) => {
      const userId = (await rows.findAny(threadId))?.user_id
      const limit = userId === undefined ? null : (await people.quotas.limits(userId)).awakeSandboxes
      return userId === undefined || limit === null ? undefined : { userId, limit }
    },
  }
}
