import type { Audit, Leaving, LeavingPart, UserHub, Users } from '../../people/public.ts'
import { type OpenDatabase, tablesOf } from '../../platform/database/database.ts'
import type { Registrations } from '../../platform/events/registrations.ts'
import type { Api } from '../../platform/http/api.ts'
import type { System } from '../../platform/system/system.ts'
import type { Openings } from '../access/openings.ts'
import type { WorkspaceTables } from '../access/workspaces.table.ts'
import type { ThreadLog } from '../log/thread-log.ts'
import type { ThreadTables } from '../log/threads.table.ts'
import { makeOpenThreadWithReason } from '../threads/open-thread.ts'
import type { Threads } from '../threads/threads.usecases.ts'
import { leavingThreadRoutes } from './leaving-threads.routes.ts'
import { makeLeavingThreadStore } from './leaving-threads.store.ts'
import { type LeavingThreads, makeLeavingThreads } from './leaving-threads.ts'
import { makePersonalUses, type PersonalUse } from './personal-uses.ts'
import type { Workspaces } from './workspaces.usecases.ts'

/** Threads of people who leave, and what of theirs stops working in the threads of others. */
export function makeThreadLeaving(
  {
    platform,
    people,
  }: { platform: { open: OpenDatabase; registrations: Registrations; system: System }; people: LeavingPeople },
  known: Pick<LeavingThreads, 'store' | 'workspaceStore' | 'access' | 'events' | 'remove'> & {
    threads: Threads
    workspaces: Workspaces
    log: ThreadLog
    openings: Openings
  },
): { routes: Api; addPersonalUse(use: PersonalUse): void } {
  const { open, registrations, system } = platform
  const { users, userHub, audit } = people
  const { store, access, threads, workspaces, log, openings } = known
  const uses = registrations.list<PersonalUse>('threads.addPersonalUse')
  const leaving = makeLeavingThreadStore(tablesOf<ThreadTables & WorkspaceTables>(open.database))
  people.addLeaving(makeLeavingThreads({ ...known, leaving, userHub, system }))
  return {
    addPersonalUse: uses.add,
    routes: leavingThreadRoutes({
      threads,
      workspaces,
      access,
      personalUses: makePersonalUses({ store, access, uses: uses.entries }),
      leaving: people.leaving,
      openWithReason: makeOpenThreadWithReason({ store, openings, log, users, audit, system }),
    }),
  }
}

type LeavingPeople = {
  users: Users
  userHub: UserHub
  audit: Audit
  leaving: Leaving
  addLeaving(part: LeavingPart): void
}
