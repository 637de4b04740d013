import { defineError } from '@threadbox/errors'

export const guestResponseTooLarge = defineError<{ limitMebibytes: number }>({
  code: 'guest.response-too-large',
  kind: 'interrupted',
  message: ({ limitMebibytes }) => `The sandbox’s response is larger than ${limitMebibytes} MiB.`,
  remedy: () => 'Request less, or write it to a file and read that. The sandbox keeps running.',
})

export const guestAnswerUnknown = defineError<{ problem: string }>({
  code: 'guest.answer-unknown',
  kind: 'unavailable',
  message: ({ problem }) => `The sandbox sent a response that threadbox doesn’t understand: ${problem}.`,
  remedy: () => 'Try again. If it keeps happening, restart the sandbox.',
})

export const guestNotResponding = defineError<{ seconds: number }>({
  code: 'guest.not-responding',
  kind: 'unavailable',
  message: ({ seconds }) => `The sandbox is running, but didn’t respond within ${seconds} seconds.`,
  remedy: () => 'Try again. If it keeps happening, restart the sandbox.',
})

export const hostUnreachable = defineError({
  code: 'host.unreachable',
  kind: 'unavailable',
  message: () => 'The host daemon isn’t responding.',
  remedy: () => 'It may still be starting. If it keeps happening, run `threadbox doctor` on the server.',
})
