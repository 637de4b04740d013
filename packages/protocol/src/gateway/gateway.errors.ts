import { defineError } from '@threadbox/errors'

/** A request for another incarnation of the sandbox than the current one. */
export const bootMismatch = defineError<{ sandboxId: string; bootId: string; currentBootId: string }>({
  code: 'sandbox.other-boot',
  kind: 'conflict',
  message: ({ bootId, currentBootId }) =>
    `The order is for boot ${bootId}, but the sandbox is running boot ${currentBootId}.`,
  remedy: () => 'Get the sandbox’s current state and decide again.',
})

export const sandboxNotRunning = defineError<{ sandboxId: string }>({
  code: 'sandbox.not-running',
  kind: 'conflict',
  message: () => 'The sandbox is not running.',
  remedy: () => 'Start it first.',
})

/** The host daemon or the server can’t connect to the gateway, which is restarted when it ends. */
export const gatewayUnreachable = defineError({
  code: 'gateway.unreachable',
  kind: 'unavailable',
  message: () => 'The gateway to the sandboxes isn’t responding.',
  remedy: () => 'It may still be starting. If it keeps happening, run `threadbox doctor` on the server.',
})

/** The gateway sent something that its caller doesn’t understand. */
export const gatewayAnswerUnknown = defineError<{ status: number }>({
  code: 'gateway.response-unknown',
  kind: 'internal',
  message: ({ status }) => `The gateway sent a response that isn’t understood (${status}).`,
  remedy: () =>
    'Gateway and host daemon may have different versions: restart threadbox. If it keeps happening, check ' +
    '`threadbox logs`.',
})

/** A request to a guest that it refused, broke off, or answered with something invalid. */
export const guestRequestFailed = defineError<{ reason: string }>({
  code: 'gateway.guest-failed',
  kind: 'unavailable',
  message: ({ reason }) => `The sandbox’s guest daemon couldn’t handle the request: ${reason}`,
  remedy: () => 'Try again. If it keeps happening, restart the sandbox.',
})
