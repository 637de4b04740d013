import type { ThreadRow } from '../log/threads.table.ts'
import type { ThreadSetup, ThreadSetupStore } from './thread-setups.store.ts'

type SetUpThread = Pick<ThreadRow, 'id' | 'user_id' | 'workspace_id' | 'started_from_json'>

/** What threads have of the agents that they were started from. */
export type ThreadSetups = ThreadSetupStore & {
  /** Undefined for a thread that wasn't started from an agent; then nothing is read. */
  of(row: SetUpThread): Promise<ThreadSetup | undefined>
  /** The scope that a thread's skills and connections come from, and the ids that it can use; null: all. */
  placeOf(row: SetUpThread): Promise<{ userId: string; workspaceId: string | null; only: readonly string[] | null }>
}

export function makeThreadSetups(store: ThreadSetupStore): ThreadSetups {
  const of = async (row: SetUpThread) => (row.started_from_json === null ? undefined : await store.find(row.id))
  return {
    ...store,
    of,
    placeOf: async (row) => {
      const only = (await of(row))?.skillIds ?? null
      return { userId: row.user_id, workspaceId: row.workspace_id, only }
    },
  }
}
