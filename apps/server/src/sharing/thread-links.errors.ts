import { defineError } from '@threadbox/errors'

export const threadLinkNotFound = defineError({
  code: 'thread-link.not-found',
  kind: 'not-found',
  message: () => 'This thread has no such link.',
  remedy: () => 'List the links of the thread: it may have ended meanwhile.',
})

export const threadLinkLimit = defineError<{ max: number }>({
  code: 'thread-link.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `The thread has ${max} links already, which is as many as it may have.`,
  remedy: () => 'End one of them first.',
})
