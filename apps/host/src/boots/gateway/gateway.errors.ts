import { defineError } from '@threadbox/errors'

export const routeBlocked = defineError<{ path: string }>({
  code: 'sandbox.route-blocked',
  kind: 'forbidden',
  message: ({ path }) => `${path} of the guest is for the host daemon only.`,
  remedy: () => 'Use the orders of the host daemon.',
})

export const guestUnreachable = defineError<{ sandboxId: string; reason: string }>({
  code: 'sandbox.guest-unreachable',
  kind: 'interrupted',
  message: ({ reason }) => `The sandbox is running, but the connection to its guest daemon failed: ${reason}`,
  remedy: () => 'Try again; if it stays so, stop and start the sandbox.',
})

export const portClosed = defineError<{ port: number; reason: string }>({
  code: 'sandbox.port-closed',
  kind: 'unavailable',
  message: ({ port, reason }) => `Nothing in the sandbox answers on port ${port}: ${reason}`,
  remedy: () => 'Start the service, or look at its output if it should be running.',
})
