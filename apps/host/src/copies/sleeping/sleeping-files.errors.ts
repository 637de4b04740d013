import { defineError } from '@threadbox/errors'

export const sleepingFileMissing = defineError<{ path: string }>({
  code: 'file.not-found',
  kind: 'not-found',
  message: ({ path }) => `There is no file at ${path}.`,
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
  message: ({ path, problem }) => `${path} could not be used: ${problem}`,
  remedy: () => 'Wake the sandbox to read it there.',
})

export const diskNotReadable = defineError<{ sandboxId: string }>({
  code: 'sandbox.disk-not-readable',
  kind: 'conflict',
  message: () => 'The files of this sandbox cannot be read from outside now.',
  remedy: () => 'Read them in the sandbox, which wakes it.',
})
