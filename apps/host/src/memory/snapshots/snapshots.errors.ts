import { defineError } from '@threadbox/errors'

export const snapshotIdTaken = defineError<{ snapshotId: string }>({
  code: 'snapshot.id-taken',
  kind: 'conflict',
  message: ({ snapshotId }) => `Snapshot ${snapshotId} already exists and belongs to another sandbox.`,
  remedy: () => 'Create the snapshot with a new ID.',
})
