import { defineError } from '@threadbox/errors'

export const fileChanged = defineError<{ path: string; version: string | null }>({
  code: 'file.changed',
  kind: 'conflict',
  message: ({ path }) => `${path} changed after it was read, so it wasn’t overwritten.`,
  remedy: () => 'Read it again and redo your change, or save it under another name.',
})

export const folderProtected = defineError<{ path: string }>({
  code: 'file.folder-protected',
  kind: 'invalid',
  message: ({ path }) => `Can’t delete or move ${path}: the sandbox needs it.`,
  remedy: () => 'Delete its contents instead.',
})

export const fileExists = defineError<{ path: string }>({
  code: 'file.path-taken',
  kind: 'conflict',
  message: ({ path }) => `${path} already exists.`,
  remedy: () => 'Choose another name, or delete the existing item first.',
})

export const rangeOutside = defineError<{ path: string; sizeBytes: number }>({
  code: 'file.range-outside',
  kind: 'invalid',
  message: ({ path, sizeBytes }) => `The requested range is outside ${path}, which has ${sizeBytes} bytes.`,
  remedy: () => 'Request a range within the file.',
})
