import { defineError } from '@threadbox/errors'

export const pathUnknown = defineError<{ path: string }>({
  code: 'egress.path-unknown',
  kind: 'not-found',
  message: ({ path }) => `The egress process has no route ${path}.`,
  remedy: () => 'Use the same version of server, host daemon and egress process.',
})

/** `reason`: one of `refusalReasonSchema`. */
export const nameNotReached = defineError<{ name: string; reason: string }>({
  code: 'egress.name-not-reached',
  kind: 'unavailable',
  message: ({ name, reason }) => `There is no connection to ${name}: ${reason}.`,
  remedy: () => 'Check the name, and whether its server is running.',
})
