import { defineError } from '@threadbox/errors'

export const sandboxAsleep = defineError({
  code: 'export.sandbox-asleep',
  kind: 'conflict',
  message: () => 'The files couldn’t be read while the sandbox is asleep.',
  remedy: () => 'Wake the sandbox, then export again.',
})
