import { isThreadboxError } from '@threadbox/errors'
import type { SecretOwnerKind, SecretWay, ThreadSecret } from '@threadbox/protocol/public'
import type { Audit } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadEvents } from '../threads.events.ts'
import type { SecretRights } from './secret-rights.ts'
import { secretNameGranted, secretNotFound, secretThreadShared } from './secrets.errors.ts'
import type { SecretStore } from './secrets.store.ts'
import type { SecretRow } from './secrets.table.ts'
import { rulesOf, type SecretPlace, type UsableSecrets } from './usable-secrets.ts'

/** Which secrets a thread has. Callers have checked that the person can work in the thread. */
export type ThreadSecretGrants = {
  /** Those that the thread has, and those that this person can grant to it. */
  list(userId: string, place: SecretPlace): Promise<ThreadSecret[]>
  /**
   * Throws `secret.not-found` for a secret that the person can’t grant to the thread, `secret.name-granted` and
   * `secret.thread-shared`. Returns when it is in effect, or known not to be.
   */
  grant(userId: string, place: SecretPlace, grant: { secretId: string; way: SecretWay }): Promise<void>
  /** Anyone who can work in the thread can end a grant to it. */
  revoke(userId: string, place: SecretPlace, secretId: string): Promise<void>
  /**
   * Gives a copy of a thread, or a thread from an agent that was saved from it, the grants that its owner could give it.
   * Never a value itself: that is a person’s decision for one sandbox.
   */
  inherit(fromThreadId: string, to: SecretPlace): Promise<void>
  taintedAt(threadId: string): Promise<number | null>
}

export type ThreadSecretDependencies = {
  store: SecretStore
  rights: SecretRights
  usable: UsableSecrets
  events: Pick<Events<ThreadEvents>, 'emit'>
  audit: Audit
  system: System
}

export function makeThreadSecretGrants(dependencies: ThreadSecretDependencies): ThreadSecretGrants {
  const { store, rights, audit, system } = dependencies
  const changed = () => dependencies.events.emit('secrets-changed', {})
  return {
    list: (userId, place) => list(dependencies, userId, place),
    taintedAt: store.taintedAt,
    grant: async (userId, place, { secretId, way }) => {
      const row = await grantable(dependencies, userId, { secretId, place }).catch(async (error: unknown) => {
        const details = { threadId: place.id, reason: isThreadboxError(error) ? error.code : 'internal' }
        await audit.record({ userId, action: 'secret-grant-refused', subject: secretId, details })
        throw error
      })
      // Before the value can be anywhere in the sandbox.
      if (way === 'direct') await store.taint(place.id, system.now())
      await store.grant(secretId, { thread_id: place.id }, { way, created_at: system.now() })
      await audit.record({
        userId,
        action: 'secret-granted',
        subject: secretId,
        details: { name: row.name, threadId: place.id, way },
      })
      await changed()
    },
    revoke: async (userId, place, secretId) => {
      const row = (await ownGrants(dependencies, place)).find(({ id }) => id === secretId)
      if (row === undefined) throw secretNotFound({})
      await store.revoke(secretId, { thread_id: place.id })
      await audit.record({
        userId,
        action: 'secret-revoked',
        subject: secretId,
        details: { name: row.name, threadId: place.id },
      })
      await changed()
    },
    inherit: async (fromThreadId, to) => {
      for (const { thread_id, secret_id, way } of await store.grants()) {
        const row = thread_id === fromThreadId && way === 'brokered' ? await store.find(secret_id) : undefined
        if (row === undefined || !(await rights.mayGrant(to.user_id, row, to))) continue
        await store.grant(secret_id, { thread_id: to.id }, { way, created_at: system.now() })
        const details = { name: row.name, threadId: to.id, way, inheritedFrom: fromThreadId }
        await audit.record({ userId: to.user_id, action: 'secret-granted', subject: secret_id, details })
      }
      if ((await store.taintedAt(fromThreadId)) !== null) await store.taint(to.id, system.now())
    },
  }
}

/** Throws as `grant` does. */
async function grantable(
  dependencies: ThreadSecretDependencies,
  userId: string,
  { secretId, place }: { secretId: string; place: SecretPlace },
): Promise<SecretRow> {
  const { store, rights, usable } = dependencies
  const row = await store.find(secretId)
  if (row === undefined || !(await rights.mayGrant(userId, row, place))) throw secretNotFound({})
  if (row.owner === 'person' && (await usable.isSharedWithOthers(row, place))) {
    throw secretThreadShared({ name: row.name })
  }
  const sameName = (await ownGrants(dependencies, place)).find((other) => other.name === row.name)
  if (sameName !== undefined && sameName.id !== row.id) throw secretNameGranted({ name: row.name })
  return row
}

async function ownGrants({ store }: ThreadSecretDependencies, place: SecretPlace): Promise<SecretRow[]> {
  const own = (await store.grants()).filter(({ thread_id }) => thread_id === place.id)
  return (await store.all()).filter(({ id }) => own.some(({ secret_id }) => secret_id === id))
}

async function list(
  { store, rights, usable }: ThreadSecretDependencies,
  userId: string,
  place: SecretPlace,
): Promise<ThreadSecret[]> {
  const held = await usable.heldBy(place)
  const grants = await store.grants()
  const shown: ThreadSecret[] = []
  for (const row of await store.all()) {
    const present = held.find((one) => one.row.id === row.id)
    const canGrant = await rights.mayGrant(userId, row, place)
    if (present === undefined && !canGrant) continue
    const of = grants.filter(({ secret_id }) => secret_id === row.id)
    const own = of.find(({ thread_id }) => thread_id === place.id)
    shown.push({
      id: row.id,
      name: row.name,
      owner: row.owner as SecretOwnerKind,
      hosts: rulesOf(row).hosts,
      lastUsedAt: row.last_used_at,
      way: (own?.way as SecretWay | undefined) ?? null,
      isGrantedByWorkspace:
        place.workspace_id !== null && of.some(({ workspace_id }) => workspace_id === place.workspace_id),
      canGrant,
      obstacle: present?.obstacle ?? null,
    })
  }
  return shown
}
