import type { Kysely } from 'kysely'
import type { Quotas, UserHub } from '../../people/public.ts'
import { tablesOf } from '../../platform/database/database.ts'
import type { ThreadRows } from '../../threads/public.ts'
import { type AwakePlaceStore, makeAwakePlaceStore, type PlaceTables } from './awake-places.store.ts'
import type { AwakeLimit } from './personal-queues.ts'

type PeopleWithLimits = {
  quotas: Pick<Quotas, 'limits'>
  userHub: Pick<UserHub, 'isFollowed'>
  addMeter(meter: { quota: 'awakeSandboxes'; read: AwakePlaceStore['count'] }): void
}

/** The places of people, which are what their limit of awake sandboxes counts, and the limit of a thread’s creator. */
export type AwakeLimits = {
  places: AwakePlaceStore
  /** How many sandboxes of the thread’s creator can be awake; undefined: no limit. */
  limitOf(threadId: string): Promise<AwakeLimit | undefined>
  /** The same, with how many are awake. */
  usedOf(threadId: string): Promise<{ used: number; limit: number } | undefined>
  /** True while a page of this person is open, which shows the position of what waits. */
  showsQueue(userId: string): boolean
}

export function makeAwakeLimits(
  database: Kysely<unknown>,
  { rows, people }: { rows: Pick<ThreadRows, 'findAny'>; people: PeopleWithLimits },
): AwakeLimits {
  const places = makeAwakePlaceStore(tablesOf<PlaceTables>(database))
  people.addMeter({ quota: 'awakeSandboxes', read: places.count })
  const limitOf: AwakeLimits['limitOf'] = async (threadId) => {
    const userId = (await rows.findAny(threadId))?.user_id
    const limit = userId === undefined ? null : (await people.quotas.limits(userId)).awakeSandboxes
    return userId === undefined || limit === null ? undefined : { userId, limit }
  }
  return {
    places,
    limitOf,
    showsQueue: people.userHub.isFollowed,
    usedOf: async (threadId) => {
      const person = await limitOf(threadId)
      return person && { used: await places.count(person.userId), limit: person.limit }
    },
  }
}
