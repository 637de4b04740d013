import { defineError } from '@threadbox/errors'

export const noAddressLeft = defineError<{ pool: string }>({
  code: 'network.no-address-left',
  kind: 'exhausted',
  message: ({ pool }) => `Every address of the range ${pool} belongs to a sandbox.`,
  remedy: () => 'Delete threads that are no longer needed, or set a larger range (THREADBOX_NETWORK_POOL).',
})

export const poolInvalid = defineError<{ pool: string; reason: string }>({
  code: 'network.pool-invalid',
  kind: 'invalid',
  message: ({ pool, reason }) => `The address range ${pool} cannot be used for sandboxes: ${reason}`,
  remedy: () => 'Set THREADBOX_NETWORK_POOL to a free private IPv4 range such as 198.18.0.0/18 or 10.201.0.0/16.',
})

export const addressInvalid = defineError<{ address: string; pool: string }>({
  code: 'network.address-invalid',
  kind: 'invalid',
  message: ({ address, pool }) => `${JSON.stringify(address)} is not an address that a sandbox may have in ${pool}.`,
  remedy: () => 'Take one of the addresses that the network lists.',
})

export const addressInUse = defineError<{ address: string; sandboxId: string }>({
  code: 'network.address-in-use',
  kind: 'conflict',
  message: ({ address, sandboxId }) => `The address ${address} belongs to the sandbox ${sandboxId}.`,
  remedy: () => 'Take another address, or delete that sandbox first.',
})

export const attachedElsewhere = defineError<{ sandboxId: string; address: string }>({
  code: 'network.attached-elsewhere',
  kind: 'conflict',
  message: ({ sandboxId, address }) => `The sandbox ${sandboxId} is attached already, at ${address}.`,
  remedy: () => 'Detach it first.',
})

export const notAttached = defineError<{ sandboxId: string }>({
  code: 'network.not-attached',
  kind: 'not-found',
  message: ({ sandboxId }) => `The sandbox ${sandboxId} has no network now.`,
  remedy: () => 'Start the sandbox: that attaches it.',
})

export const networkIdInvalid = defineError<{ id: string }>({
  code: 'network.id-invalid',
  kind: 'invalid',
  message: ({ id }) => `${JSON.stringify(id)} cannot be the id of an installation or a sandbox.`,
  remedy: () => 'Use 1 to 64 characters of a-z, 0-9 and "-"; an installation is six of [a-z0-9].',
})

export const egressInvalid = defineError<{ name: string }>({
  code: 'network.egress-invalid',
  kind: 'invalid',
  message: ({ name }) => `${JSON.stringify(name)} cannot be on the list of allowed names.`,
  remedy: () => 'Write a host name such as index.example.net, or *.example.com for everything below one.',
})

export const commandFailed = defineError<{ command: string; reason: string }>({
  code: 'network.command-failed',
  kind: 'internal',
  message: ({ command, reason }) => `\`${command}\` failed: ${reason}`,
  remedy: () => 'Run `threadbox doctor`: it checks what networks need from this machine.',
})
