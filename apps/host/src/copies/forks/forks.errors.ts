import { defineError } from '@threadbox/errors'

export const forkIdTaken = defineError<{ sandboxId: string }>({
  code: 'fork.id-taken',
  kind: 'conflict',
  message: ({ sandboxId }) => `Sandbox ${sandboxId} already exists and is not a fork in progress.`,
  remedy: () => 'Fork with a new ID.',
})
