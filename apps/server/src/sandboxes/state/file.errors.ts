import { defineError } from '@threadbox/errors'

export const fileNotFound = defineError<{ path: string }>({
  code: 'file.not-found',
  kind: 'not-found',
  message: ({ path }) => `${path} doesn’t exist.`,
  remedy: () => 'Check the path with list_files or search_files. Relative paths start at /home/user.',
})

export const fileIsDirectory = defineError<{ path: string }>({
  code: 'file.is-directory',
  kind: 'invalid',
  message: ({ path }) => `${path} is a folder, not a file.`,
  remedy: () => 'Use list_files to see its contents. To share it, pack it into an archive first.',
})
