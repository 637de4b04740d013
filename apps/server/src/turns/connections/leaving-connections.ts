import type { LeavingPart } from '../../people/public.ts'
import type { ConnectionStore } from './connections.store.ts'
import type { Programs } from './programs.ts'
import type { Sessions } from './sessions.ts'

/** A person’s own connections go to no other person. Those of a workspace stay with it. */
export function makeLeavingConnections(dependencies: {
  store: ConnectionStore
  sessions: Pick<Sessions, 'forget'>
  programs: Pick<Programs, 'erase'>
}): LeavingPart {
  const { store, sessions, programs } = dependencies
  return {
    personal: async (userId) => ({ connections: (await store.list(userId, [])).map(({ name }) => name) }),
    release: store.release,
    erase: async (userId) => {
      for (const { id } of await store.list(userId, [])) {
        await store.delete(id)
        sessions.forget(id)
        await programs.erase(id)
      }
    },
  }
}
