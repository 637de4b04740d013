import { defineError } from '@threadbox/errors'

export const fileChanged = defineError<{ path: string; version: string | null }>({
  code: 'file.changed',
  kind: 'conflict',
  message: ({ path }) => `${path} was changed by somebody else since it was read, so it was not overwritten.`,
  remedy: () => 'Read it again and repeat the change, or save under another name.',
})

export const folderProtected = defineError<{ path: string }>({
  code: 'file.folder-protected',
  kind: 'invalid',
  message: ({ path }) => `${path} cannot be removed or moved: the sandbox needs it.`,
  remedy: () => 'Remove what is in it instead.',
})

export const fileExists = defineError<{ path: string }>({
  code: 'file.path-taken',
  kind: 'conflict',
  message: ({ path }) => `There is something at ${path} already.`,
  remedy: () => 'Choose another name, or remove what is there first.',
})

export const rangeOutside = defineError<{ path: string; sizeBytes: number }>({
  code: 'file.range-outside',
  kind: 'invalid',
  message: ({ path, sizeBytes }) => `${path} has ${sizeBytes} bytes: the part that was asked for lies outside.`,
  remedy: () => 'Ask for a part within the file.',
})
