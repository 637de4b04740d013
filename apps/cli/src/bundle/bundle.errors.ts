import { defineError } from '@threadbox/errors'

export const bundleFileExists = defineError<{ file: string }>({
  code: 'bundle.file-exists',
  kind: 'conflict',
  message: ({ file }) => `${file} already exists, so the support bundle was not written.`,
  remedy: () => 'Name another file after --bundle, or remove this one.',
})

export const bundleNotWritten = defineError<{ file: string; reason: string }>({
  code: 'bundle.not-written',
  kind: 'unavailable',
  message: ({ file, reason }) => `Couldn’t write the support bundle ${file}: ${reason}`,
  remedy: () => 'Name a file in a folder with free space that you can write to.',
})
