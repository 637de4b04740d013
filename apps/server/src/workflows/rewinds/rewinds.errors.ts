import { defineError } from '@threadbox/errors'

export const rewindTurnRunning = defineError({
  code: 'rewind.turn-running',
  kind: 'conflict',
  message: () => 'The thread was not rewound: an answer is being made in it.',
  remedy: () => 'Wait until it is done, or stop it.',
})

export const rewindMessageNotFound = defineError({
  code: 'rewind.message-not-found',
  kind: 'not-found',
  message: () => 'This thread has no such message that was answered.',
  remedy: () => 'Take the id of a message that is in the conversation.',
})

export const rewindSnapshotGone = defineError({
  code: 'rewind.snapshot-gone',
  kind: 'conflict',
  message: () => 'The thread was not rewound: what its disk contained before that message is not kept.',
  remedy: () => 'Rewind to before another message.',
})

export const rewindUnderWay = defineError({
  code: 'rewind.under-way',
  kind: 'conflict',
  message: () => 'This thread is being rewound.',
  remedy: () => 'Try again in a moment. If it stays so, see whether the host daemon runs.',
})

export const rewindNotUndoable = defineError({
  code: 'rewind.not-undoable',
  kind: 'conflict',
  message: () =>
    'The rewind cannot be undone: the conversation went on, what was undone is not kept any more, or it was made in another thread.',
  remedy: () => 'Go on from here.',
})
