import { defineError } from '@threadbox/errors'

export const threadNotFound = defineError({
  code: 'thread.not-found',
  kind: 'not-found',
  message: () => 'There is no thread with this id.',
  remedy: () => 'It may have been deleted. Open a thread from the sidebar, or begin a new one.',
})

export const threadUndoOver = defineError({
  code: 'thread.undo-over',
  kind: 'conflict',
  message: () => 'The thread can no longer be brought back: its time to undo is over and its sandbox is being removed.',
  remedy: () => 'Begin a new thread.',
})
