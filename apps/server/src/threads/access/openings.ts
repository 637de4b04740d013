import type { Action } from '@threadbox/domain'
import type { Settings, Users } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import { actingAction, actingCaller } from '../../platform/http/acting-request.ts'
import type { System } from '../../platform/system/system.ts'
import { makeOpeningStore, type OpeningStore } from './openings.store.ts'
import type { OpeningTables } from './openings.table.ts'

/** What an opening allows: to read, never to copy, and never to see what the thread can use. */
const opened: readonly (Action | null)[] = ['threads.read', 'sandboxes.read', 'network.read']

/** How long the owner or an admin reads a thread with one reason. */
export const openingMs = 3_600_000

/** With the setting `adminsMayRead`, the owner and admins read threads that they aren’t in, with a reason each time. */
export type Openings = {
  /** Whether this person can open threads that they aren’t in. */
  mayOpen(userId: string): Promise<boolean>
  add: OpeningStore['put']
  /** Whether the request that is being served can read the thread because its sender has opened it. */
  mayRead(userId: string, threadId: string | undefined): Promise<boolean>
}

export function makeOpenings(known: {
  platform: { open: OpenDatabase; system: System }
  people: { users: Pick<Users, 'administers'>; settings: Pick<Settings, 'values'> }
}): Openings {
  const { open, system } = known.platform
  const { users, settings } = known.people
  const store = makeOpeningStore(tablesOf<OpeningTables>(open.database))
  const mayOpen: Openings['mayOpen'] = async (userId) =>
    (await settings.values()).adminsMayRead === 'with-reason' && (await users.administers(userId))
  return {
    mayOpen,
    add: store.put,
    mayRead: async (userId, threadId) => {
      const caller = actingCaller()
      const isTheirs = caller?.userId === userId && caller.sessionId !== null && opened.includes(actingAction())
      if (threadId === undefined || !isTheirs) return false
      return (await store.holds(threadId, userId, system.now())) && (await mayOpen(userId))
    },
  }
}
