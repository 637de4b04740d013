import { workspaceRoles } from '@threadbox/domain'
import type { LeavingPart, UserHub } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import { type Access, subjectOfThread } from '../access/access.ts'
import type { WorkspaceStore } from '../access/workspaces.store.ts'
import type { ThreadStore } from '../log/threads.store.ts'
import type { ThreadEvents } from '../threads.events.ts'
import type { LeavingThreadStore } from './leaving-threads.store.ts'

export type LeavingThreads = {
  store: ThreadStore
  leaving: LeavingThreadStore
  workspaceStore: WorkspaceStore
  access: Access
  /** Deletes permanently, without an undo time. */
  remove: { thread(threadId: string): Promise<void>; workspace(workspaceId: string): Promise<void> }
  userHub: Pick<UserHub, 'publish'>
  events: Pick<Events<ThreadEvents>, 'emit'>
  system: System
}

/**
 * Threads and workspaces of people who leave. Handed over, a thread keeps its place: the other person becomes a member of
 * its workspace with the role of the one who leaves, if they aren’t. Erased, all threads that the person has created are
 * deleted, and workspaces that others are in go to one of them.
 */
export function makeLeavingThreads(dependencies: LeavingThreads): LeavingPart {
  const { store, leaving, workspaceStore, access, userHub, events, system } = dependencies
  const listed = async (workspaceIds: readonly (string | null)[], userIds: readonly string[]) => {
    for (const userId of userIds) userHub.publish(userId, { type: 'workspaces-updated' })
    await events.emit('threads-listed', { workspaceIds: [...new Set(workspaceIds)] })
    await events.emit('inheritance-changed', {})
  }
  return {
    counts: leaving.counts,
    handOver: async (order) => {
      const { from, to, threadIds } = order
      const own = await leaving.ids(from)
      const given = threadIds === 'all' ? own : own.filter(({ id }) => threadIds.includes(id))
      if (threadIds === 'all') await giveMemberships({ leaving, workspaceStore, now: system.now() }, order)
      await leaving.give(order)
      for (const { id } of given) {
        userHub.publish(from, { type: 'thread-removed', threadId: id })
        await events.emit('sidebar-changed', { threadId: id })
      }
      await listed(
        given.map(({ workspaceId }) => workspaceId),
        [from, to],
      )
    },
    release: async (userId) => {
      for (const { id, members } of await leaving.madeBy(userId)) {
        const [next] = members
        if (next === undefined) continue
        const owner = { workspace_id: id, user_id: next.userId, role: 'owner', joined_at: system.now() }
        if (next.role !== 'owner') await workspaceStore.setRole(owner)
        await leaving.transfer(id, { from: userId, to: next.userId })
      }
    },
    erase: async (userId) => {
      const failures: unknown[] = []
      const attempt = (work: Promise<void>) => work.catch((error: unknown) => failures.push(error))
      const own = await leaving.ids(userId)
      for (const { id } of own) {
        const row = await store.findAny(id)
        const readers = row === undefined ? [] : await access.people('read', subjectOfThread(row))
        for (const reader of readers) userHub.publish(reader, { type: 'thread-removed', threadId: id })
        await attempt(dependencies.remove.thread(id))
      }
      for (const { id, members } of await leaving.madeBy(userId)) {
        if (members.length === 0) await attempt(dependencies.remove.workspace(id))
      }
      // One that can’t be deleted yet doesn’t hold up the others; the operation is tried again.
      if (failures.length > 0) throw new AggregateError(failures, `${failures.length} threads or workspaces are left`)
      await listed(
        own.map(({ workspaceId }) => workspaceId),
        [],
      )
    },
  }
}

/** The other person gets the better one of both roles, so that they see every thread that they get. */
async function giveMemberships(
  { leaving, workspaceStore, now }: { leaving: LeavingThreadStore; workspaceStore: WorkspaceStore; now: number },
  { from, to }: { from: string; to: string },
): Promise<void> {
  const rank = (role: string | undefined) =>
    role === undefined ? workspaceRoles.length : (workspaceRoles as readonly string[]).indexOf(role)
  for (const { workspaceId, role } of await leaving.memberships(from)) {
    const before = await workspaceStore.role(to, workspaceId)
    if (rank(role) >= rank(before)) continue
    await workspaceStore.setRole({ workspace_id: workspaceId, user_id: to, role, joined_at: now })
  }
  for (const { id } of await leaving.madeBy(from)) await leaving.transfer(id, { from, to })
}
