import { defineError } from '@threadbox/errors'

export const rewindTurnRunning = defineError({
  code: 'rewind.turn-running',
  kind: 'conflict',
  message: () => 'Can’t rewind while the agent is responding.',
  remedy: () => 'Wait until it finishes, or stop it.',
})

export const rewindMessageNotFound = defineError({
  code: 'rewind.message-not-found',
  kind: 'not-found',
  message: () => 'Message not found, or it has no response.',
  remedy: () => 'Use the ID of a message in the conversation.',
})

export const rewindSnapshotGone = defineError({
  code: 'rewind.snapshot-gone',
  kind: 'conflict',
  message: () => 'Can’t rewind: the disk state before that message is no longer kept.',
  remedy: () => 'Rewind to before another message.',
})

export const rewindUnderWay = defineError({
  code: 'rewind.under-way',
  kind: 'conflict',
  message: () => 'This thread is being rewound.',
  remedy: () => 'Try again in a moment. If it keeps happening, check that the host daemon is running.',
})

export const rewindNotUndoable = defineError({
  code: 'rewind.not-undoable',
  kind: 'conflict',
  message: () =>
    'Can’t undo the rewind: the conversation continued, the undone state is no longer kept, or the rewind was ' +
    'made in another thread.',
  remedy: () => 'Continue from here.',
})
