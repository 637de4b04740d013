import { defineError } from '@threadbox/errors'

export const forkTurnRunning = defineError({
  code: 'fork.turn-running',
  kind: 'conflict',
  message: () => 'Can’t fork while the agent is responding.',
  remedy: () => 'Wait until it finishes, stop it, or fork from an earlier response.',
})

export const forkTurnNotFound = defineError({
  code: 'fork.turn-not-found',
  kind: 'not-found',
  message: () => 'Response not found in this thread.',
  remedy: () => 'Use the ID of a finished response.',
})

export const forkSnapshotGone = defineError({
  code: 'fork.snapshot-gone',
  kind: 'conflict',
  message: () => 'Can’t fork: the disk state after that response is no longer kept.',
  remedy: () => 'Fork from another response, or from the current state.',
})
