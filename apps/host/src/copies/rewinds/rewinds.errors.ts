import { defineError } from '@threadbox/errors'

export const rewindTargetGone = defineError<{ snapshotId: string }>({
  code: 'rewind.target-gone',
  kind: 'not-found',
  message: ({ snapshotId }) => `The sandbox has no snapshot ${snapshotId}.`,
  remedy: () => 'Rewind to another point.',
})
