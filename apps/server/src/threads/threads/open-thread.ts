import type { NoticeEntry, ThreadOpening } from '@threadbox/protocol/public'
import type { Audit, Users } from '../../people/public.ts'
import type { System } from '../../platform/system/system.ts'
import { type Openings, openingMs } from '../access/openings.ts'
import type { ThreadLog } from '../log/thread-log.ts'
import { threadNotFound } from '../log/threads.errors.ts'
import type { ThreadStore } from '../log/threads.store.ts'

/**
 * Lets the owner or an admin read a thread that they aren’t in. Nothing opens before the members can see it: the notice and
 * the audit row come first. Throws `thread.not-found`, also while the setting is off.
 */
export type OpenThreadWithReason = (
  userId: string,
  opening: { threadId: string; reason: string },
) => Promise<ThreadOpening>

export function makeOpenThreadWithReason(dependencies: {
  store: Pick<ThreadStore, 'findAny' | 'lastTurnId'>
  openings: Pick<Openings, 'mayOpen' | 'add'>
  log: Pick<ThreadLog, 'append'>
  users: Pick<Users, 'me'>
  audit: Audit
  system: System
}): OpenThreadWithReason {
  const { store, openings, log, users, audit, system } = dependencies
  return async (userId, { threadId, reason }) => {
    const row = await store.findAny(threadId)
    if (!(await openings.mayOpen(userId)) || row === undefined || row.deleted_at !== null) throw threadNotFound({})
    const { name } = await users.me(userId)
    const entry: NoticeEntry = {
      id: system.newId('entry'),
      turnId: (await store.lastTurnId(threadId)) ?? system.newId('turn'),
      at: system.now(),
      kind: 'notice',
      code: 'opened-by-admin',
      params: { name, reason: reason.trim() },
    }
    await audit.record({ userId, action: 'thread-opened', subject: threadId, details: { reason: reason.trim() } })
    await log.append(threadId, [{ type: 'entry-added', entry }])
    const until = system.now() + openingMs
    await openings.add({ threadId, userId, until })
    return { threadId, until }
  }
}
