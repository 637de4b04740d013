import { defineError } from '@threadbox/errors'

export const rewindTargetGone = defineError<{ snapshotId: string }>({
  code: 'rewind.target-gone',
  kind: 'not-found',
  message: ({ snapshotId }) => `The sandbox has no snapshot ${snapshotId} to go back to.`,
  remedy: () => 'Go back to another moment.',
})
