import { defineError } from '@threadbox/errors'

export const networkNameInvalid = defineError<{ name: string }>({
  code: 'network-policy.name-invalid',
  kind: 'invalid',
  message: ({ name }) => `A network policy can’t allow “${name}”.`,
  remedy: () =>
    'Enter a full name such as example.org, or *.example.org for everything below it, each also with a port from 1 to 65535 except 53 (example.org:8443). Addresses and whole top-level domains can’t be allowed.',
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
