import { defineError } from '@threadbox/errors'

export const streamFrameInvalid = defineError<{ problem: string }>({
  code: 'stream.frame-invalid',
  kind: 'invalid',
  message: ({ problem }) => `A message on the event stream socket is not valid: ${problem}`,
  remedy: () => 'Send JSON as described in the API documentation. Open streams continue.',
})

export const streamLimitReached = defineError<{ max: number }>({
  code: 'stream.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `A socket can carry up to ${max} event streams.`,
  remedy: () => 'Close a stream first, or open another socket.',
})

export const streamSocketOnly = defineError({
  code: 'stream.socket-only',
  kind: 'invalid',
  message: () => 'This URL only accepts WebSocket connections.',
  remedy: () => 'Open it as a WebSocket, or read `GET /api/v1/events` and `GET /api/v1/threads/{id}/events` instead.',
})
