import { defineError } from '@threadbox/errors'

export const guestResponseTooLarge = defineError<{ limitMebibytes: number }>({
  code: 'guest.response-too-large',
  kind: 'interrupted',
  message: ({ limitMebibytes }) => `The sandbox’s response is larger than ${limitMebibytes} MiB.`,
  remedy: () => 'Request less, or write it to a file and read that. The sandbox keeps running.',
})

export const hostUnreachable = defineError({
  code: 'host.unreachable',
  kind: 'unavailable',
  message: () => 'The host daemon isn’t responding.',
  remedy: () => 'It may still be starting. If it keeps happening, run `threadbox doctor` on the server.',
})
