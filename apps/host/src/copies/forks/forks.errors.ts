import { defineError } from '@threadbox/errors'

export const forkIdTaken = defineError<{ sandboxId: string }>({
  code: 'fork.id-taken',
  kind: 'conflict',
  message: ({ sandboxId }) => `There is a sandbox ${sandboxId} already, and it is no fork that is being made.`,
  remedy: () => 'Make the fork under a new id.',
})
