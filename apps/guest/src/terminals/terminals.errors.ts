import { defineError } from '@threadbox/errors'

export const terminalUnknown = defineError<{ id: string }>({
  code: 'terminal.unknown',
  kind: 'not-found',
  message: ({ id }) => `Terminal ${id} not found.`,
  remedy: () => 'List the terminals.',
})

export const terminalEnded = defineError<{ id: string }>({
  code: 'terminal.ended',
  kind: 'conflict',
  message: ({ id }) => `The shell in terminal ${id} has exited.`,
  remedy: () => 'Open another terminal.',
})

export const tooManyTerminals = defineError<{ max: number }>({
  code: 'terminal.too-many',
  kind: 'exhausted',
  message: ({ max }) => `A sandbox can have up to ${max} terminals.`,
  remedy: () => 'Close a terminal first.',
})
