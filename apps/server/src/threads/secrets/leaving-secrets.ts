import type { LeavingPart } from '../../people/public.ts'
import type { Events } from '../../platform/events/events.ts'
import type { ThreadEvents } from '../threads.events.ts'
import type { SecretStore } from './secrets.store.ts'

/** A person’s own secrets go to no other person. Those of a workspace stay with it. */
export function makeLeavingSecrets(dependencies: {
  store: SecretStore
  events: Pick<Events<ThreadEvents>, 'emit'>
}): LeavingPart {
  const { store, events } = dependencies
  const ofPerson = async (userId: string) =>
    (await store.all()).filter(({ owner, owner_id }) => owner === 'person' && owner_id === userId)
  return {
    personal: async (userId) => ({ secrets: (await ofPerson(userId)).map(({ name }) => name) }),
    revoke: async ({ from, threadIds }) => {
      const own = new Set((await ofPerson(from)).map(({ id }) => id))
      for (const { secret_id, thread_id, workspace_id } of await store.grants()) {
        if (!own.has(secret_id)) continue
        const isGiven = threadIds === 'all' || (thread_id !== null && threadIds.includes(thread_id))
        if (thread_id !== null && isGiven) await store.revoke(secret_id, { thread_id })
        if (workspace_id !== null && threadIds === 'all') await store.revoke(secret_id, { workspace_id })
      }
      await events.emit('secrets-changed', {})
    },
    erase: async (userId) => {
      for (const { id } of await ofPerson(userId)) await store.delete(id)
      await events.emit('secrets-changed', {})
    },
  }
}
