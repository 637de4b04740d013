import { defineError } from '@threadbox/errors'

export const sleepingFileMissing = defineError<{ path: string }>({
  code: 'file.not-found',
  kind: 'not-found',
  message: ({ path }) => `${path} doesn’t exist.`,
  remedy: () => 'Check the path.',
})

export const sleepingFileIsDirectory = defineError<{ path: string }>({
  code: 'file.is-directory',
  kind: 'invalid',
  message: ({ path }) => `${path} is a folder, not a file.`,
  remedy: () => 'List the folder, and read a file in it.',
})

export const sleepingFileRefused = defineError<{ path: string; problem: string }>({
  code: 'file.refused',
  kind: 'invalid',
  message: ({ path, problem }) => `Can’t use ${path}: ${problem}`,
  remedy: () => 'Wake the sandbox to read it there.',
})

export const diskNotReadable = defineError<{ sandboxId: string }>({
  code: 'sandbox.disk-not-readable',
  kind: 'conflict',
  message: () => 'Can’t read this sandbox’s files from the host right now.',
  remedy: () => 'Wake the sandbox, then read them.',
})
