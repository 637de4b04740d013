import { defineError } from '@threadbox/errors'

export const terminalNotFound = defineError({
  code: 'terminal.not-found',
  kind: 'not-found',
  message: () => 'This thread has no such terminal.',
  remedy: () => 'List the terminals of the thread to see which there are.',
})

export const terminalLimitReached = defineError<{ max: number }>({
  code: 'terminal.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `The thread has ${max} terminals already, which is as many as it may have.`,
  remedy: () => 'Close one of them first.',
})

export const terminalUnsupported = defineError({
  code: 'terminal.unsupported',
  kind: 'unsupported',
  message: () => 'This sandbox was started by an earlier version, which has no terminals.',
  remedy: () => 'Restart the sandbox: its files stay.',
})

export const terminalUnanswered = defineError({
  code: 'terminal.unanswered',
  kind: 'unavailable',
  message: () => 'The sandbox did not answer when its terminal was asked for.',
  remedy: () => 'Look at its status, and try again in a moment.',
})

export const terminalRefused = defineError<{ problem: string }>({
  code: 'terminal.refused',
  kind: 'invalid',
  message: ({ problem }) => `The sandbox refused: ${problem}`,
  remedy: () => 'Correct what it names, and try again.',
})

export const terminalSocketOnly = defineError({
  code: 'terminal.socket-only',
  kind: 'invalid',
  message: () => 'This address of a terminal is for WebSocket connections.',
  remedy: () => 'Open it as a WebSocket: what it carries is described with the terminals in the documentation.',
})

export const terminalFrameInvalid = defineError<{ problem: string }>({
  code: 'terminal.frame-invalid',
  kind: 'invalid',
  message: ({ problem }) => `A message over the socket of a terminal cannot be used: ${problem}`,
  remedy: () => 'Send JSON as it is described with the terminals in the documentation.',
})
