import { defineError } from '@threadbox/errors'

export const snapshotIdTaken = defineError<{ snapshotId: string }>({
  code: 'snapshot.id-taken',
  kind: 'conflict',
  message: ({ snapshotId }) => `There is a snapshot ${snapshotId} already, of another sandbox.`,
  remedy: () => 'Take the snapshot under a new id.',
})
