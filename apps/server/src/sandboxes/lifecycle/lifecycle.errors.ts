import { defineError } from '@threadbox/errors'

export const guestAnswerUnknown = defineError<{ problem: string }>({
  code: 'guest.answer-unknown',
  kind: 'unavailable',
  message: ({ problem }) => `The sandbox answered in a way that was not understood: ${problem}.`,
  remedy: () => 'Try again; if it stays, restart the sandbox.',
})

export const reportNotFound = defineError({
  code: 'report.not-found',
  kind: 'not-found',
  message: () => 'This thread has no such report.',
  remedy: () => 'The latest one is part of GET /api/v1/threads/{id}/sandbox.',
})

export const rescuedNotFound = defineError({
  code: 'rescued.not-found',
  kind: 'not-found',
  message: () => 'The latest report of this thread names no such process.',
  remedy: () => 'Only what ended with the memory at the last start can be started again.',
})

export const holdTooFar = defineError<{ days: number }>({
  code: 'sandbox.hold-invalid',
  kind: 'invalid',
  message: ({ days }) => `A sandbox can be kept awake until a moment in the next ${days} days.`,
  remedy: () => 'Choose an earlier end, or send it again later.',
})
