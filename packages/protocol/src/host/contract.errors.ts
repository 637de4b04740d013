import { defineError } from '@threadbox/errors'

/** A host that doesn't understand an order. */
export const requestInvalid = defineError<{ problem: string }>({
  code: 'host.request-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The order cannot be understood: ${problem}`,
  remedy: () => 'Correct the request.',
})

/** A server that doesn't understand a response of its host. */
export const hostAnswerUnknown = defineError<{ status: number }>({
  code: 'host.answer-unknown',
  kind: 'internal',
  message: ({ status }) => `The service that runs sandboxes answered in a way that was not understood (${status}).`,
  remedy: () => 'Both may be of different versions: restart threadbox. If it stays, look into `threadbox logs`.',
})
