import { defineError } from '@threadbox/errors'

export const terminalUnknown = defineError<{ id: string }>({
  code: 'terminal.unknown',
  kind: 'not-found',
  message: ({ id }) => `There is no terminal ${id}.`,
  remedy: () => 'List the terminals to see which there are.',
})

export const terminalEnded = defineError<{ id: string }>({
  code: 'terminal.ended',
  kind: 'conflict',
  message: ({ id }) => `The shell of terminal ${id} has ended.`,
  remedy: () => 'Open another terminal.',
})

export const tooManyTerminals = defineError<{ max: number }>({
  code: 'terminal.too-many',
  kind: 'exhausted',
  message: ({ max }) => `There are ${max} terminals already.`,
  remedy: () => 'Close one of them first.',
})
