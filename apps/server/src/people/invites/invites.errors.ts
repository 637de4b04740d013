import { defineError } from '@threadbox/errors'

export const inviteInvalid = defineError({
  code: 'invite.invalid',
  kind: 'forbidden',
  message: () => 'This link is not valid. It may have been used, revoked or replaced, or it has expired.',
  remedy: () => 'Ask the person who sent it for a new one.',
})

export const inviteForOther = defineError({
  code: 'invite.for-other',
  kind: 'forbidden',
  message: () => 'This invite is for another email address.',
  remedy: () => 'Use the address to which it was sent, or ask for another invite.',
})

export const inviteNotFound = defineError({
  code: 'invite.not-found',
  kind: 'not-found',
  message: () => 'Invite not found.',
  remedy: () => 'It may have been used, or it has expired. Reload the list.',
})

export const inviteLimit = defineError<{ limit: number }>({
  code: 'invite.limit',
  kind: 'exhausted',
  message: ({ limit }) => `There are already ${limit} invites that can be used.`,
  remedy: () => 'Revoke one, or create one that several people can use.',
})
