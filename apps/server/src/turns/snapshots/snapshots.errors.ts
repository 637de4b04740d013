import { defineError } from '@threadbox/errors'

export const snapshotNotFound = defineError({
  code: 'snapshot.not-found',
  kind: 'not-found',
  message: () => 'Snapshot not found in this thread. It may have been deleted.',
  remedy: () => 'List the thread’s snapshots to see what’s available.',
})
