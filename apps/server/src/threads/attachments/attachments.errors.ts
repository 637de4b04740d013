import { defineError } from '@threadbox/errors'

export const attachmentNotFound = defineError({
  code: 'attachment.not-found',
  kind: 'not-found',
  message: () => 'This thread has no attachment with this ID.',
  remedy: () => 'Upload the file again.',
})

export const uploadInterrupted = defineError({
  code: 'upload.interrupted',
  kind: 'interrupted',
  message: () => 'The upload was interrupted before the whole file arrived. Nothing was saved.',
  remedy: () => 'Upload the file again.',
})

export const uploadNoSpace = defineError({
  code: 'upload.no-space',
  kind: 'out-of-space',
  message: () => 'The server’s disk is full, so the file wasn’t saved.',
  remedy: () => 'Free up space on the server, or upload a smaller file.',
})
