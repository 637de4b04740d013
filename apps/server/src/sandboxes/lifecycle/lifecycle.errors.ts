import { defineError } from '@threadbox/errors'

export const reportNotFound = defineError({
  code: 'report.not-found',
  kind: 'not-found',
  message: () => 'Report not found in this thread.',
  remedy: () => 'The latest one is part of GET /api/v1/threads/{id}/sandbox.',
})

export const rescuedNotFound = defineError({
  code: 'rescued.not-found',
  kind: 'not-found',
  message: () => 'This process isn’t in the thread’s latest report.',
  remedy: () => 'You can only restart processes that ended when memory was lost at the last start.',
})

export const holdTooFar = defineError<{ days: number }>({
  code: 'sandbox.hold-invalid',
  kind: 'invalid',
  message: ({ days }) => `You can keep a sandbox awake for up to ${days} days.`,
  remedy: ({ days }) => `Choose a time within the next ${days} days.`,
})
