import { defineError } from '@threadbox/errors'

export const hostUnreachable = defineError({
  code: 'host.unreachable',
  kind: 'unavailable',
  message: () => 'The service that runs sandboxes on this machine does not answer.',
  remedy: () => 'It may still be starting. If this stays, run `threadbox doctor` on the server.',
})

export const hostAnswerUnknown = defineError<{ status: number }>({
  code: 'host.answer-unknown',
  kind: 'internal',
  message: ({ status }) => `The service that runs sandboxes answered in a way that was not understood (${status}).`,
  remedy: () => 'Both may be of different versions: restart threadbox. If it stays, look into `threadbox logs`.',
})
