import { defineError } from '@threadbox/errors'

export const snapshotNotFound = defineError({
  code: 'snapshot.not-found',
  kind: 'not-found',
  message: () => 'Snapshot not found in this thread. It may have been deleted.',
  remedy: () => 'List the thread’s snapshots to see what’s available.',
})

export const snapshotNotKept = defineError({
  code: 'snapshot.not-kept',
  kind: 'conflict',
  message: () => 'No snapshot from the end of this response is kept.',
  remedy: () => 'Choose another response. A thread without files in a sandbox has no snapshots.',
})

export const snapshotPinLimit = defineError<{ max: number }>({
  code: 'snapshot.pin-limit-reached',
  kind: 'conflict',
  message: ({ max }) => `You can keep up to ${max} moments of a thread.`,
  remedy: () => 'Stop keeping another moment of this thread first.',
})

export const snapshotPinsTooLarge = defineError({
  code: 'snapshot.pins-too-large',
  kind: 'out-of-space',
  message: () => 'The moments that are kept take half of the space for snapshots of all threads.',
  remedy: () =>
    'Stop keeping another moment first, or raise snapshotMebibytes and memorySnapshotMebibytes in Settings.',
})
