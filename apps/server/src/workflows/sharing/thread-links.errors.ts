import { defineError } from '@threadbox/errors'

export const threadLinkNotFound = defineError({
  code: 'thread-link.not-found',
  kind: 'not-found',
  message: () => 'Link not found in this thread.',
  remedy: () => 'List the thread’s links; this one may have expired.',
})

export const threadLinkNoCopy = defineError({
  code: 'thread-link.no-copy',
  kind: 'not-found',
  message: () => 'You can’t make a copy with this link.',
  remedy: () => 'It may have expired or only allow reading. Ask the person who shared it for a new link.',
})

export const threadLinkCopiesUsedUp = defineError<{ max: number }>({
  code: 'thread-link.copies-used-up',
  kind: 'conflict',
  message: ({ max }) => `This link has been used for ${max} copies, the maximum.`,
  remedy: () => 'Ask the person who shared it for a new link.',
})

export const threadLinkLimit = defineError<{ max: number }>({
  code: 'thread-link.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `A thread can have up to ${max} links.`,
  remedy: () => 'Revoke a link first.',
})
