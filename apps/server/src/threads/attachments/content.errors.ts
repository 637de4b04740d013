import { defineError } from '@threadbox/errors'

export const outputNotFound = defineError({
  code: 'output.not-found',
  kind: 'not-found',
  message: () => 'Output not found in this thread.',
  remedy: () => 'Check the call ID.',
})

export const outputNotKept = defineError<{ from: number; to: number }>({
  code: 'output.not-kept',
  kind: 'not-found',
  message: ({ from, to }) => `Bytes ${from} up to ${to} (exclusive) of this output weren’t kept.`,
  remedy: ({ from, to }) => `Read before byte ${from} or from byte ${to} on.`,
})

export const resultNotFound = defineError({
  code: 'result.not-found',
  kind: 'not-found',
  message: () => 'Result not found in this thread.',
  remedy: () => 'Reload the conversation.',
})
