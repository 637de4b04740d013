import { defineError } from '@threadbox/errors'

export const snapshotNotFound = defineError({
  code: 'snapshot.not-found',
  kind: 'not-found',
  message: () => 'This thread has no such snapshot, or not any more.',
  remedy: () => 'List the snapshots of the thread to see which there are.',
})
