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
    /**
     * Pins a turn: its snapshot stays beyond the limits, and memory that is not saved yet is saved now. Pinning it again
     * changes nothing.
     */
    pin: (threadId: string, turnId: string) =>
      connection.json<ThreadSnapshots>('PUT', at(threadId, `/pins/${encodeURIComponent(turnId)}`)),
    /** Removes the pin: the limits apply again. */
    unpin: (threadId: string, turnId: string) =>
      connection.json<ThreadSnapshots>('DELETE', at(threadId, `/pins/${encodeURIComponent(turnId)}`)),
  }
}
