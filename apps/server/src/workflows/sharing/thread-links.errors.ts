import { defineError } from '@threadbox/errors'

export const threadLinkNotFound = defineError({
  code: 'thread-link.not-found',
  kind: 'not-found',
  message: () => 'This thread has no such link.',
  remedy: () => 'List the links of the thread: it may have ended meanwhile.',
})

export const threadLinkNoCopy = defineError({
  code: 'thread-link.no-copy',
  kind: 'not-found',
  message: () => 'This link leads to nothing that can be copied.',
  remedy: () => 'It may have ended, or allows reading only: ask whoever shared it for another one.',
})

export const threadLinkCopiesUsedUp = defineError<{ max: number }>({
  code: 'thread-link.copies-used-up',
  kind: 'conflict',
  message: ({ max }) => `By this link ${max} copies were made already, which is as many as a link allows.`,
  remedy: () => 'Ask whoever shared it for another link.',
})

export const threadLinkLimit = defineError<{ max: number }>({
  code: 'thread-link.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `The thread has ${max} links already, which is as many as it may have.`,
  remedy: () => 'End one of them first.',
})
