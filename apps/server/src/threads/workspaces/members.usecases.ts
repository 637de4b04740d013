import { makeKeyedLock } from '@threadbox/concurrency'
import { roleAllows, type WorkspaceRole, workspaceRoles } from '@threadbox/domain'
import { isErrorOf } from '@threadbox/errors'
import type { WorkspaceMember, WorkspaceMembers } from '@threadbox/protocol/public'
import type { Audit, UserHub, Users } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import { workspaceMemberNotFound, workspaceOwnerMissing } from '../access/workspaces.errors.ts'
import type { WorkspaceStore } from '../access/workspaces.store.ts'
import type { WorkspaceThreads } from '../threads/workspace-threads.ts'
import type { ThreadEvents } from '../threads.events.ts'
import type { Workspaces } from './workspaces.usecases.ts'

/** Who is in a workspace. Every method throws `workspace.not-found` and `workspace.role-missing`. */
export type Members = {
  list(userId: string, workspaceId: string): Promise<WorkspaceMembers>
  /** Adds a person or changes their role. Throws `workspace.member-not-found` and `workspace.owner-missing`. */
  set(userId: string, member: MemberOf & { role: WorkspaceRole }): Promise<WorkspaceMembers>
  /** Throws `workspace.member-not-found` and `workspace.owner-missing`. */
  remove(userId: string, member: MemberOf): Promise<WorkspaceMembers>
  /** Makes a person who was invited a member; a workspace that no longer exists is left out. */
  join(userId: string, workspaceIds: readonly string[]): Promise<void>
  roleOf(userId: string, workspaceId: string): Promise<WorkspaceRole | undefined>
  /**
   * Gives a person the role that their groups at a provider give, null: none. Keeps the last owner; a workspace that no
   * longer exists is left out.
   */
  assign(userId: string, workspaceId: string, role: WorkspaceRole | null): Promise<void>
  /** Throws `workspace.owner-missing`. */
  leave(userId: string, workspaceId: string): Promise<void>
}
type MemberOf = { workspaceId: string; memberId: string }

export type MembersDependencies = {
  store: Pick<WorkspaceStore, 'roles' | 'setRole' | 'removeMember'>
  workspaces: Pick<Workspaces, 'get' | 'requireManaged' | 'facts' | 'changed'>
  threads: Pick<WorkspaceThreads, 'closeTo'>
  users: Pick<Users, 'names'>
  userHub: Pick<UserHub, 'publish'>
  events: Pick<Events<ThreadEvents>, 'emit'>
  audit: Audit
  system: System
}

export function makeMembers(dependencies: MembersDependencies): Members {
  const { store, workspaces, system } = dependencies
  // One change at a time, so that two can’t each remove the other owner.
  const inOrder = makeKeyedLock()
  const list = async (workspaceId: string): Promise<WorkspaceMembers> => {
    const names = new Map((await dependencies.users.names()).map(({ id, name }) => [id, name]))
    const members = (await store.roles(workspaceId)).map(
      ({ userId, role, joinedAt }): WorkspaceMember => ({
        userId,
        name: names.get(userId) ?? '',
        role: role as WorkspaceRole,
        joinedAt,
      }),
    )
    return { members: members.toSorted(inListOrder) }
  }
  const change = (userId: string, order: MemberOf & { role: WorkspaceRole | null }) =>
    inOrder(order.workspaceId, () => changeMember(dependencies, userId, order))
  return {
    list: async (userId, workspaceId) => {
      await workspaces.get(userId, workspaceId)
      return await list(workspaceId)
    },
    set: async (userId, order) => {
      await workspaces.requireManaged(userId, order.workspaceId)
      await change(userId, order)
      return await list(order.workspaceId)
    },
    remove: async (userId, order) => {
      await workspaces.requireManaged(userId, order.workspaceId)
      await change(userId, { ...order, role: null })
      return await list(order.workspaceId)
    },
    join: async (userId, workspaceIds) => {
      for (const workspaceId of workspaceIds) {
        if ((await dependencies.workspaces.facts(workspaceId)) === undefined) continue
        await change(userId, { workspaceId, memberId: userId, role: 'member' })
      }
    },
    roleOf: async (userId, workspaceId) =>
      (await store.roles(workspaceId)).find((member) => member.userId === userId)?.role as WorkspaceRole | undefined,
    assign: async (userId, workspaceId, role) => {
      if ((await workspaces.facts(workspaceId)) === undefined) return
      await change(userId, { workspaceId, memberId: userId, role }).catch((error: unknown) => {
        if (!isErrorOf(workspaceOwnerMissing, error)) throw error
      })
    },
    leave: async (userId, workspaceId) => {
      await workspaces.get(userId, workspaceId)
      await change(userId, { workspaceId, memberId: userId, role: null })
    },
  }

  /**
   * The threads come first: a crash in between leaves a member without their private threads in the workspace, never one
   * who has left with threads that others don’t see.
   */
  async function changeMember(
    { users, threads, userHub, events, audit }: MembersDependencies,
    userId: string,
    { workspaceId, memberId, role }: MemberOf & { role: WorkspaceRole | null },
  ): Promise<void> {
    const roles = new Map((await store.roles(workspaceId)).map((member) => [member.userId, member.role]))
    const before = roles.get(memberId) as WorkspaceRole | undefined
    const isKnown = role === null ? before !== undefined : (await users.names()).some(({ id }) => id === memberId)
    if (!isKnown) throw workspaceMemberNotFound({})
    if (before === role) return
    const owners = [...roles].filter(([id, other]) => other === 'owner' && id !== memberId)
    if (owners.length === 0 && role !== 'owner') throw workspaceOwnerMissing({})
    const couldWork = roleAllows(before, 'work', true)
    if (couldWork && !roleAllows(role ?? undefined, 'work', true)) await threads.closeTo(workspaceId, memberId)
    if (role === null) await store.removeMember(memberId, workspaceId)
    else await store.setRole({ workspace_id: workspaceId, user_id: memberId, role, joined_at: system.now() })
    const action = role === null ? 'member-removed' : before === undefined ? 'member-added' : 'member-changed'
    const values = { before: { role: before ?? 'none' }, after: { role: role ?? 'none' } }
    await audit.record({ userId, action, subject: workspaceId, details: { member: memberId }, ...values })
    await workspaces.changed([workspaceId])
    // The others are members still.
    if (role === null) userHub.publish(memberId, { type: 'workspaces-updated' })
    await events.emit('inheritance-changed', {})
  }
}

function inListOrder(one: WorkspaceMember, other: WorkspaceMember): number {
  const rank = ({ role }: WorkspaceMember) => workspaceRoles.indexOf(role)
  return rank(one) - rank(other) || one.name.localeCompare(other.name) || (one.userId < other.userId ? -1 : 1)
}
