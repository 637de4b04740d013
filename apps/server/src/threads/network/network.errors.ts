import { defineError } from '@threadbox/errors'

export const networkNameInvalid = defineError<{ name: string }>({
  code: 'network-policy.name-invalid',
  kind: 'invalid',
  message: ({ name }) => `A network policy can’t allow “${name}”.`,
  remedy: () =>
    'Enter a full name such as example.org, or *.example.org for everything below it, each also with a port from 1 to 65535 except 53 (example.org:8443). Addresses and whole top-level domains can’t be allowed.',
})

type Entry = { entry: string }

export const privateAddressNameInvalid = defineError<Entry>({
  code: 'private-address.name-invalid',
  kind: 'invalid',
  message: ({ entry }) => `“${entry}” doesn’t begin with a name that sandboxes can use.`,
  remedy: () => 'Enter one full name such as git.corp.example, without * and without an address.',
})

export const privateAddressPortInvalid = defineError<Entry>({
  code: 'private-address.port-invalid',
  kind: 'invalid',
  message: ({ entry }) => `“${entry}” has no port that sandboxes can reach.`,
  remedy: () => 'Enter one port from 1 to 65535, except 53 and the mail ports 25, 465 and 587.',
})

export const privateAddressRangeInvalid = defineError<Entry>({
  code: 'private-address.range-invalid',
  kind: 'invalid',
  message: ({ entry }) => `“${entry}” has no range of IPv4 addresses.`,
  remedy: () => 'Enter the first address with the length of the prefix, such as 10.1.2.0/24, or one address.',
})

export const privateAddressRangeTooWide = defineError<Entry>({
  code: 'private-address.range-too-wide',
  kind: 'invalid',
  message: ({ entry }) => `The range in “${entry}” has more than 65,536 addresses.`,
  remedy: () => 'Enter the range in which the service is, at most a /16.',
})

export const privateAddressRangeRefused = defineError<Entry>({
  code: 'private-address.range-refused',
  kind: 'invalid',
  message: ({ entry }) => `The range in “${entry}” isn’t in a private network.`,
  remedy: () =>
    'Enter a range in 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 or 100.64.0.0/10. Public names need no entry, and loopback, link-local and metadata addresses can’t be allowed.',
})

export const networkNothingReachable = defineError({
  code: 'network-policy.nothing-reachable',
  kind: 'conflict',
  message: () => 'A policy that applies to this thread allows no connections at all, so no name can be added to it.',
  remedy: () => 'Change that policy to a list of allowed names first.',
})

export const networkTooManyNames = defineError<{ limit: number }>({
  code: 'network-policy.too-many-names',
  kind: 'conflict',
  message: ({ limit }) => `The list already has ${limit} names.`,
  remedy: () => 'Remove names that are no longer needed, or replace several with one like *.example.org.',
})
