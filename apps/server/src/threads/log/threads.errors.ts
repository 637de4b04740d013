import { defineError } from '@threadbox/errors'

export const threadNotFound = defineError({
  code: 'thread.not-found',
  kind: 'not-found',
  message: () => 'Thread not found.',
  remedy: () => 'It may have been deleted. Open another thread from the sidebar, or start a new one.',
})

export const threadUndoOver = defineError({
  code: 'thread.undo-over',
  kind: 'conflict',
  message: () => 'You can no longer restore this thread: its undo time is over and its sandbox is being deleted.',
  remedy: () => 'Start a new thread.',
})
