import { defineError } from '@threadbox/errors'

export const attachmentNotFound = defineError({
  code: 'attachment.not-found',
  kind: 'not-found',
  message: () => 'There is no attachment with this id in this thread.',
  remedy: () => 'Upload the file again.',
})

export const uploadInterrupted = defineError({
  code: 'upload.interrupted',
  kind: 'interrupted',
  message: () => 'The upload ended before all of the file had arrived; nothing of it was kept.',
  remedy: () => 'Send the file again.',
})

export const uploadNoSpace = defineError({
  code: 'upload.no-space',
  kind: 'out-of-space',
  message: () => 'The disk of the server is full, so the file was not kept.',
  remedy: () => 'Make room on the server, or send a smaller file.',
})
