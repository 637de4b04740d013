import { defineError } from '@threadbox/errors'

export const diskNotCleaned = defineError<{ problem: string }>({
  code: 'environment.not-cleaned',
  kind: 'internal',
  message: ({ problem }) => `The copy could not be looked through: ${problem}`,
  remedy: () => 'Try again. If it happens again, look into the log of the host daemon.',
})

export const diskInUse = defineError<{ sandboxId: string }>({
  code: 'environment.in-use',
  kind: 'conflict',
  message: ({ sandboxId }) => `The disk of ${sandboxId} is in use.`,
  remedy: () => 'Stop the sandbox first.',
})
