import type { LeavingPart } from '../../people/public.ts'
import type { GitCredentialStore } from './git-credentials.store.ts'

/** Git credentials are a person’s own, and go to no other person. */
export function makeLeavingCredentials(dependencies: {
  store: GitCredentialStore
  onChanged(): void | Promise<void>
}): LeavingPart {
  const { store, onChanged } = dependencies
  return {
    personal: async (userId) => ({ gitCredentials: (await store.list(userId)).map(({ address }) => address) }),
    revoke: async ({ from, threadIds }) => {
      const ids = (await store.list(from)).map(({ id }) => id)
      const granted = (await store.grants(ids)).flatMap(({ thread_id }) => (thread_id === null ? [] : [thread_id]))
      for (const threadId of new Set(granted)) {
        if (threadIds === 'all' || threadIds.includes(threadId)) await store.setThread(threadId, { ids, allowed: [] })
      }
      if (threadIds === 'all') for (const id of ids) await store.setWorkspaces(id, [])
      await onChanged()
    },
    erase: async (userId) => {
      for (const { id } of await store.list(userId)) await store.delete(id)
      await onChanged()
    },
  }
}
