import { defineError } from '@threadbox/errors'

export const fileChanged = defineError<{ path: string }>({
  code: 'file.changed',
  kind: 'conflict',
  message: ({ path }) => `${path} was changed by somebody else since it was read, so it was not overwritten.`,
  remedy: () => 'Read it again and repeat the change, or save under another name.',
})

export const fileExists = defineError<{ path: string }>({
  code: 'file.exists',
  kind: 'conflict',
  message: ({ path }) => `There is something at ${path} already.`,
  remedy: () => 'Choose another name, or remove what is there first.',
})

export const folderNotArchived = defineError<{ path: string; problem: string }>({
  code: 'folder.not-archived',
  kind: 'invalid',
  message: ({ path, problem }) => `${path} could not be packed: ${problem}`,
  remedy: () => 'Check that it is a folder and that its files can be read.',
})
