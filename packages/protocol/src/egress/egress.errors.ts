import { defineError } from '@threadbox/errors'

/** The host daemon or the server can’t connect to the egress process, which is restarted when it ends. */
export const egressUnreachable = defineError({
  code: 'egress.unreachable',
  kind: 'unavailable',
  message: () => 'The process that connects sandboxes to the internet isn’t responding.',
  remedy: () => 'It may still be starting. If it keeps happening, run `threadbox doctor` on the server.',
})

/** The egress process sent something that its caller doesn’t understand. */
export const egressAnswerUnknown = defineError<{ status: number }>({
  code: 'egress.response-unknown',
  kind: 'internal',
  message: ({ status }) =>
    `The process that connects sandboxes to the internet sent a response that isn’t understood (${status}).`,
  remedy: () =>
    'It and the rest of threadbox may have different versions: restart threadbox. If it keeps happening, check ' +
    '`threadbox logs`.',
})
