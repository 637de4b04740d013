import { defineError } from '@threadbox/errors'

export const threadNotFound = defineError({
  code: 'thread.not-found',
  kind: 'not-found',
  message: () => 'Thread not found.',
  remedy: () => 'It may have been deleted. Open another thread from the sidebar, or start a new one.',
})

export const threadPrivateOutside = defineError({
  code: 'thread.private-outside',
  kind: 'invalid',
  message: () => 'Only a thread in a workspace can be private: outside of workspaces, every thread is.',
  remedy: () => 'Leave out isPrivate, or name a workspace.',
})

export const threadCreatorRequired = defineError({
  code: 'thread.creator-required',
  kind: 'forbidden',
  message: () => 'Only the thread’s creator can do this.',
  remedy: () => 'Ask its creator, or move the thread to another workspace.',
})

export const threadCreatorOutside = defineError({
  code: 'thread.creator-outside',
  kind: 'conflict',
  message: () => 'The thread’s creator can’t see that workspace, and would lose the thread.',
  remedy: () => 'Add them to the workspace first, or ask them to move the thread.',
})

export const threadSharedWithOthers = defineError({
  code: 'thread.shared-with-others',
  kind: 'conflict',
  message: () =>
    'Other people can work in this thread, so it can’t use your own secrets, Git credentials and connections.',
  remedy: () => 'Make the thread private first.',
})

export const threadUndoOver = defineError({
  code: 'thread.undo-over',
  kind: 'conflict',
  message: () => 'You can no longer restore this thread: its undo time is over and its sandbox is being deleted.',
  remedy: () => 'Start a new thread.',
})
