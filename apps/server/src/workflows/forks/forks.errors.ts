import { defineError } from '@threadbox/errors'

export const forkTurnRunning = defineError({
  code: 'fork.turn-running',
  kind: 'conflict',
  message: () => 'The thread was not forked: an answer is being made in it.',
  remedy: () => 'Wait until it is done, or stop it; or fork from an earlier answer.',
})

export const forkTurnNotFound = defineError({
  code: 'fork.turn-not-found',
  kind: 'not-found',
  message: () => 'This thread has no such answer.',
  remedy: () => 'Take the id of an answer that has ended.',
})

export const forkSnapshotGone = defineError({
  code: 'fork.snapshot-gone',
  kind: 'conflict',
  message: () => 'The thread was not forked: what its disk contained after that answer is not kept.',
  remedy: () => 'Fork from another answer, or from now.',
})
