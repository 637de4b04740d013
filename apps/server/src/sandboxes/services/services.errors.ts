import { defineError } from '@threadbox/errors'

export const serviceNotFound = defineError({
  code: 'service.not-found',
  kind: 'not-found',
  message: () => 'This thread has no service with that name.',
  remedy: () => 'List the thread’s services to see their names.',
})

export const serviceLimitReached = defineError<{ max: number }>({
  code: 'service.limit-reached',
  kind: 'conflict',
  message: ({ max }) => `A thread can have up to ${max} services.`,
  remedy: () => 'Stop or remove a service, or raise maxServices in Settings or for this thread.',
})

export const serviceRefused = defineError<{ name: string; problem: string }>({
  code: 'service.refused',
  kind: 'invalid',
  message: ({ name, problem }) => `Couldn’t start the service “${name}”: ${problem}`,
  remedy: () => 'Correct the request and start it again.',
})

export const serviceFailed = defineError<{ name: string; problem: string }>({
  code: 'service.failed',
  kind: 'unavailable',
  message: ({ name, problem }) => `The service “${name}” isn’t working: ${problem}`,
  remedy: () => 'Read its last output, fix the cause, and start it again.',
})

export const serviceUnsupported = defineError({
  code: 'service.unsupported',
  kind: 'unsupported',
  message: () => 'This sandbox runs an older version without services.',
  remedy: () => 'Restart the sandbox. Its files are kept.',
})

export const serviceUnanswered = defineError<{ name: string }>({
  code: 'service.unanswered',
  kind: 'unavailable',
  message: ({ name }) => `The sandbox didn’t respond to a request about the service “${name}”.`,
  remedy: () => 'Check its status, then try again in a moment.',
})
