import { defineError } from '@threadbox/errors'

export const workspaceNotFound = defineError({
  code: 'workspace.not-found',
  kind: 'not-found',
  message: () => 'Workspace not found.',
  remedy: () => 'It may have been deleted. Choose another one from the sidebar.',
})

export const roleMissing = defineError<{ action: 'work' | 'change' | 'manage' }>({
  code: 'workspace.role-missing',
  kind: 'forbidden',
  message: () => 'Your role in this workspace doesn’t allow this.',
  remedy: () => 'Ask an owner of the workspace, who can do it or change your role.',
})

export const workspaceOwnerMissing = defineError({
  code: 'workspace.owner-missing',
  kind: 'conflict',
  message: () => 'A workspace needs an owner, and this is its only one.',
  remedy: () => 'Make another member an owner first, or delete the workspace.',
})

export const workspaceMemberNotFound = defineError({
  code: 'workspace.member-not-found',
  kind: 'not-found',
  message: () => 'There is no such person, or they aren’t in this workspace.',
  remedy: () => 'GET /api/v1/people lists everyone, and /workspaces/{id}/members those in the workspace.',
})

export const workspaceNameTaken = defineError<{ name: string }>({
  code: 'workspace.name-taken',
  kind: 'conflict',
  message: ({ name }) => `You already have a workspace named ${name}.`,
  remedy: () => 'Choose another name, or rename the existing workspace.',
})

export const workspaceArchived = defineError<{ name: string }>({
  code: 'workspace.archived',
  kind: 'conflict',
  message: ({ name }) => `The workspace ${name} is archived and can’t take new threads.`,
  remedy: () => 'Unarchive it first.',
})

export const workspaceUndoOver = defineError({
  code: 'workspace.undo-over',
  kind: 'conflict',
  message: () => 'You can no longer restore this workspace: its undo time is over and its threads are being deleted.',
  remedy: () => 'Create a new workspace.',
})

export const workspacePlaceInvalid = defineError({
  code: 'workspace.place-invalid',
  kind: 'invalid',
  message: () => 'A workspace can’t be moved in front of itself.',
  remedy: () => 'Name another workspace to move it in front of, or null to move it to the end.',
})
