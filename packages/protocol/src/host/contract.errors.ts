import { defineError } from '@threadbox/errors'

/** A host that doesn't understand an order. */
export const requestInvalid = defineError<{ problem: string }>({
  code: 'host.request-invalid',
  kind: 'invalid',
  message: ({ problem }) => `The order is not valid: ${problem}`,
  remedy: () => 'Correct the request.',
})

/** A server that doesn't understand a response of its host. */
export const hostAnswerUnknown = defineError<{ status: number }>({
  code: 'host.answer-unknown',
  kind: 'internal',
  message: ({ status }) => `The host daemon sent a response the server doesn’t understand (${status}).`,
  remedy: () =>
    'Server and host daemon may have different versions: restart threadbox. If it keeps happening, check ' +
    '`threadbox logs`.',
})
