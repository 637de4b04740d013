import { defineError } from '@threadbox/errors'

export const outputNotFound = defineError({
  code: 'output.not-found',
  kind: 'not-found',
  message: () => 'There is no output with this id in this thread.',
  remedy: () => 'Check the id of the call.',
})

export const resultNotFound = defineError({
  code: 'result.not-found',
  kind: 'not-found',
  message: () => 'There is no result with this name in this thread.',
  remedy: () => 'Load the conversation again.',
})
