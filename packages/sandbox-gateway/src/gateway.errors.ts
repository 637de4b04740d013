import { defineError } from '@threadbox/errors'

export const routeBlocked = defineError<{ path: string }>({
  code: 'sandbox.route-blocked',
  kind: 'forbidden',
  message: ({ path }) => `The guest route ${path} is reserved for the host daemon.`,
  remedy: () => 'Use the host daemon’s API.',
})

export const guestUnreachable = defineError<{ sandboxId: string; reason: string }>({
  code: 'sandbox.guest-unreachable',
  kind: 'interrupted',
  message: ({ reason }) => `The sandbox is running, but the connection to its guest daemon failed: ${reason}`,
  remedy: () => 'Try again. If it keeps happening, restart the sandbox.',
})

/** A request waited for a boot that the host had frozen while it was idle. */
export const restNotEnded = defineError<{ seconds: number }>({
  code: 'sandbox.rest-not-ended',
  kind: 'unavailable',
  message: ({ seconds }) => `The idle sandbox didn’t continue within ${seconds} seconds.`,
  remedy: () => 'Try again. If it keeps happening, check `threadbox logs`.',
})

export const portClosed = defineError<{ port: number; reason: string }>({
  code: 'sandbox.port-closed',
  kind: 'unavailable',
  message: ({ port, reason }) => `Port ${port} in the sandbox isn’t responding: ${reason}`,
  remedy: () => 'Start the service, or check its output if it should be running.',
})

export const pathUnknown = defineError<{ path: string }>({
  code: 'gateway.path-unknown',
  kind: 'not-found',
  message: ({ path }) => `The gateway has no route ${path}.`,
  remedy: () => 'Use the same version of server, host daemon and gateway.',
})
