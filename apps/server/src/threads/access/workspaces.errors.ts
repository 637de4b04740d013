import { defineError } from '@threadbox/errors'

export const workspaceNotFound = defineError({
  code: 'workspace.not-found',
  kind: 'not-found',
  message: () => 'There is no workspace with this id.',
  remedy: () => 'It may have been deleted. Choose another one from the sidebar.',
})

export const workspaceNameTaken = defineError<{ name: string }>({
  code: 'workspace.name-taken',
  kind: 'conflict',
  message: ({ name }) => `You have a workspace ${name} already.`,
  remedy: () => 'Choose another name, or rename the other one first.',
})

export const workspaceArchived = defineError<{ name: string }>({
  code: 'workspace.archived',
  kind: 'conflict',
  message: ({ name }) => `The workspace ${name} is archived and takes no more threads.`,
  remedy: () => 'Bring it back from the archive first.',
})

export const workspaceUndoOver = defineError({
  code: 'workspace.undo-over',
  kind: 'conflict',
  message: () =>
    'The workspace can no longer be brought back: its time to undo is over and its threads are being removed.',
  remedy: () => 'Create a new workspace.',
})

export const workspacePlaceInvalid = defineError({
  code: 'workspace.place-invalid',
  kind: 'invalid',
  message: () => 'A workspace cannot stand in front of itself.',
  remedy: () => 'Name another workspace to put it in front of, or null for the end.',
})
