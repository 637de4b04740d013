import type { ThreadSnapshots } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** What is kept of a thread's disk: its content at the end of each answer. */
export function snapshotCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/snapshots${rest}`
  return {
    list: (threadId: string, signal?: AbortSignal) => connection.json<ThreadSnapshots>('GET', at(threadId), { signal }),
    /** Gives a snapshot up; the disk stays as it is. */
    remove: (threadId: string, snapshotId: string) =>
      connection.json<ThreadSnapshots>('DELETE', at(threadId, `/${encodeURIComponent(snapshotId)}`)),
  }
}
