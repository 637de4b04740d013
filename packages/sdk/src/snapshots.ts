import type { ThreadSnapshots } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Snapshots of a thread’s disk at the end of each turn. */
export function snapshotCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/snapshots${rest}`
  return {
    list: (threadId: string, signal?: AbortSignal) => connection.json<ThreadSnapshots>('GET', at(threadId), { signal }),
    /** Deletes a snapshot; the disk does not change. */
    remove: (threadId: string, snapshotId: string) =>
      connection.json<ThreadSnapshots>('DELETE', at(threadId, `/${encodeURIComponent(snapshotId)}`)),
  }
}
