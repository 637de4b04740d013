import { defineError } from '@threadbox/errors'

export const outputNotFound = defineError({
  code: 'output.not-found',
  kind: 'not-found',
  message: () => 'Output not found in this thread.',
  remedy: () => 'Check the call ID.',
})

export const resultNotFound = defineError({
  code: 'result.not-found',
  kind: 'not-found',
  message: () => 'Result not found in this thread.',
  remedy: () => 'Reload the conversation.',
})
