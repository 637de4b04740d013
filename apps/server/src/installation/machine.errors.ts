import { defineError } from '@threadbox/errors'

export const sandboxUnknown = defineError({
  code: 'machine.sandbox-unknown',
  kind: 'not-found',
  message: () => 'There is no sandbox with this ID.',
  remedy: () => 'Reload the machine page: the sandbox may have been deleted.',
})
