import { defineError } from '@threadbox/errors'

export const serviceNotFound = defineError({
  code: 'service.not-found',
  kind: 'not-found',
  message: () => 'This thread has no service of that name.',
  remedy: () => 'List the services of the thread to see their names.',
})

export const serviceLimitReached = defineError<{ max: number }>({
  code: 'service.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `The thread has ${max} services already, which is as many as it may have.`,
  remedy: () => 'Stop or remove one of them first, or raise maxServices in the settings or for this thread.',
})

export const serviceRefused = defineError<{ name: string; problem: string }>({
  code: 'service.refused',
  kind: 'invalid',
  message: ({ name, problem }) => `The service "${name}" was not started: ${problem}`,
  remedy: () => 'Correct the request and start it again.',
})

export const serviceFailed = defineError<{ name: string; problem: string }>({
  code: 'service.failed',
  kind: 'unavailable',
  message: ({ name, problem }) => `The service "${name}" does not run as it should: ${problem}`,
  remedy: () => 'Read its last lines, correct what they name, and start it again.',
})

export const serviceUnsupported = defineError({
  code: 'service.unsupported',
  kind: 'unsupported',
  message: () => 'This sandbox was started by an earlier version, which has no services.',
  remedy: () => 'Restart the sandbox: its files stay.',
})

export const serviceUnanswered = defineError<{ name: string }>({
  code: 'service.unanswered',
  kind: 'unavailable',
  message: ({ name }) => `The sandbox did not answer when the service "${name}" was asked for.`,
  remedy: () => 'Look at its status, and try again in a moment.',
})
