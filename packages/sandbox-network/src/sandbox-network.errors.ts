import { defineError } from '@threadbox/errors'

export const noAddressLeft = defineError<{ pool: string }>({
  code: 'network.no-address-left',
  kind: 'exhausted',
  message: ({ pool }) => `All addresses in the range ${pool} are in use.`,
  remedy: () => 'Delete threads you don’t need, or set a larger range (THREADBOX_NETWORK_POOL).',
})

export const poolInvalid = defineError<{ pool: string; reason: string }>({
  code: 'network.pool-invalid',
  kind: 'invalid',
  message: ({ pool, reason }) => `The address range ${pool} can’t be used for sandboxes: ${reason}`,
  remedy: () => 'Set THREADBOX_NETWORK_POOL to a free private IPv4 range such as 198.18.0.0/18 or 10.201.0.0/16.',
})

export const addressInvalid = defineError<{ address: string; pool: string }>({
  code: 'network.address-invalid',
  kind: 'invalid',
  message: ({ address, pool }) => `${JSON.stringify(address)} is not a valid sandbox address in ${pool}.`,
  remedy: () => 'Use one of the addresses listed by the network.',
})

export const addressInUse = defineError<{ address: string; sandboxId: string }>({
  code: 'network.address-in-use',
  kind: 'conflict',
  message: ({ address, sandboxId }) => `Address ${address} belongs to sandbox ${sandboxId}.`,
  remedy: () => 'Use another address, or delete that sandbox first.',
})

export const attachedToOtherAddress = defineError<{ sandboxId: string; address: string }>({
  code: 'network.attached-elsewhere',
  kind: 'conflict',
  message: ({ sandboxId, address }) => `Sandbox ${sandboxId} is already attached at ${address}.`,
  remedy: () => 'Detach it first.',
})

export const notAttached = defineError<{ sandboxId: string }>({
  code: 'network.not-attached',
  kind: 'not-found',
  message: ({ sandboxId }) => `Sandbox ${sandboxId} has no network.`,
  remedy: () => 'Start the sandbox to attach it.',
})

export const networkIdInvalid = defineError<{ id: string }>({
  code: 'network.id-invalid',
  kind: 'invalid',
  message: ({ id }) => `${JSON.stringify(id)} is not a valid installation or sandbox ID.`,
  remedy: () => 'Use 1 to 64 characters: a–z, 0–9 and “-”. An installation ID is six characters from a–z and 0–9.',
})

export const egressInvalid = defineError<{ name: string }>({
  code: 'network.egress-invalid',
  kind: 'invalid',
  message: ({ name }) => `${JSON.stringify(name)} is not valid in the list of allowed hostnames.`,
  remedy: () =>
    'Enter a hostname such as index.example.net, or *.example.com for all its subdomains, each also with a port (example.com:8443).',
})

export const commandFailed = defineError<{ command: string; reason: string }>({
  code: 'network.command-failed',
  kind: 'internal',
  message: ({ command, reason }) => `\`${command}\` failed: ${reason}`,
  remedy: () => 'Run `threadbox doctor` to check what networks need from this host.',
})
