import { defineError } from '@threadbox/errors'

export const terminalNotFound = defineError({
  code: 'terminal.not-found',
  kind: 'not-found',
  message: () => 'Terminal not found in this thread.',
  remedy: () => 'It may have been closed. Open another one.',
})

export const terminalLimitReached = defineError<{ max: number }>({
  code: 'terminal.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `A thread can have up to ${max} terminals.`,
  remedy: () => 'Close a terminal first.',
})

export const terminalUnsupported = defineError({
  code: 'terminal.unsupported',
  kind: 'unsupported',
  message: () => 'This sandbox runs an older version without terminals.',
  remedy: () => 'Restart the sandbox. Its files are kept.',
})

export const terminalUnanswered = defineError({
  code: 'terminal.unanswered',
  kind: 'unavailable',
  message: () => 'The sandbox didn’t respond to a terminal request.',
  remedy: () => 'Check its status, then try again in a moment.',
})

export const terminalRefused = defineError<{ problem: string }>({
  code: 'terminal.refused',
  kind: 'invalid',
  message: ({ problem }) => `The sandbox rejected the request: ${problem}`,
  remedy: () => 'Fix the cause, then try again.',
})

export const terminalSocketOnly = defineError({
  code: 'terminal.socket-only',
  kind: 'invalid',
  message: () => 'This terminal URL only accepts WebSocket connections.',
  remedy: () => 'Open it as a WebSocket, as described in docs/terminals.md.',
})

export const terminalFrameInvalid = defineError<{ problem: string }>({
  code: 'terminal.frame-invalid',
  kind: 'invalid',
  message: ({ problem }) => `A message on the terminal socket is not valid: ${problem}`,
  remedy: () => 'Send JSON as described in docs/terminals.md.',
})
