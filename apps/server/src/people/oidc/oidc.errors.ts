import { defineError } from '@threadbox/errors'

export const providerOwnerOnly = defineError({
  code: 'sign-in.owner-only',
  kind: 'forbidden',
  message: () => 'Only the owner of this installation can change how people sign in.',
  remedy: () => 'Ask the owner.',
})

export const providerNotFound = defineError({
  code: 'sign-in.provider-not-found',
  kind: 'not-found',
  message: () => 'Provider not found.',
  remedy: () => 'It may have been removed. Reload the page.',
})

export const providerIssuerTaken = defineError({
  code: 'sign-in.issuer-taken',
  kind: 'conflict',
  message: () => 'There is already a provider with this issuer.',
  remedy: () => 'Edit that one.',
})

export const providerLimit = defineError<{ limit: number }>({
  code: 'sign-in.provider-limit',
  kind: 'exhausted',
  message: ({ limit }) => `There are already ${limit} providers.`,
  remedy: () => 'Remove one first.',
})

export const providerSettingsInvalid = defineError<{ problem: string }>({
  code: 'sign-in.settings-invalid',
  kind: 'invalid',
  message: ({ problem }) => `These settings don’t work together: ${problem}`,
  remedy: () => 'Correct them and save again.',
})

export const identityNotFound = defineError({
  code: 'sign-in.identity-not-found',
  kind: 'not-found',
  message: () => 'This sign-in is not connected.',
  remedy: () => 'Reload the list.',
})

export const identityTaken = defineError({
  code: 'sign-in.identity-taken',
  kind: 'conflict',
  message: () => 'This account of the provider is connected to another person here.',
  remedy: () => 'Sign in to the provider with another account, or disconnect it from the other person first.',
})

export const identityOther = defineError({
  code: 'sign-in.identity-other',
  kind: 'forbidden',
  message: () => 'You signed in at the provider with another account than the one that is connected to yours here.',
  remedy: () => 'Try again with the connected account. Settings, You names it.',
})

export const returnRefused = defineError({
  code: 'sign-in.return-refused',
  kind: 'invalid',
  message: () => 'After signing in, only pages of this app can be opened.',
  remedy: () => 'Open the sign-in page again, without the address of another site.',
})

export const stateUnknown = defineError({
  code: 'sign-in.state-unknown',
  kind: 'forbidden',
  message: () => 'This sign-in was finished already, or it took longer than 10 minutes.',
  remedy: () => 'Start again on the sign-in page.',
})

export const stateForeign = defineError({
  code: 'sign-in.state-foreign',
  kind: 'forbidden',
  message: () => 'This sign-in was started in another browser, or another one was started here since then.',
  remedy: () => 'Start again on the sign-in page, in this browser.',
})

export const signInDeclined = defineError({
  code: 'sign-in.declined',
  kind: 'forbidden',
  message: () => 'The provider did not sign you in.',
  remedy: () => 'Try again, or ask the people who run the provider whether you may use this app.',
})

export const joinClosed = defineError({
  code: 'sign-in.closed',
  kind: 'forbidden',
  message: () => 'Your account of the provider is not connected to a person here, and new people can’t join this way.',
  remedy: () => 'Sign in with your password and connect it in Settings, You; or ask the owner.',
})

export const inviteNeeded = defineError({
  code: 'sign-in.invite-needed',
  kind: 'forbidden',
  message: () => 'You need an invite to join.',
  remedy: () => 'Ask the owner or an admin for one, open it in this browser, and choose the provider there.',
})

export const domainRefused = defineError({
  code: 'sign-in.domain-refused',
  kind: 'forbidden',
  message: () => 'Your email address is not of a domain whose people can join.',
  remedy: () => 'Sign in to the provider with another address, or ask for an invite.',
})

export const groupMissing = defineError({
  code: 'sign-in.group-missing',
  kind: 'forbidden',
  message: () => 'You are not in the group that can use this app.',
  remedy: () => 'Ask the people who run the provider to add you to it.',
})

export const emailMissing = defineError({
  code: 'sign-in.email-missing',
  kind: 'forbidden',
  message: () => 'The provider did not tell your email address, which an account here needs.',
  remedy: () => 'Ask the people who run the provider to allow this app the scope `email`.',
})

export const emailUnverified = defineError({
  code: 'sign-in.email-unverified',
  kind: 'forbidden',
  message: () => 'The provider has not verified your email address.',
  remedy: () => 'Verify it at the provider, then sign in again.',
})

export const emailOfOther = defineError({
  code: 'sign-in.email-taken',
  kind: 'conflict',
  message: () => 'There is already an account with your email address here, and it is not connected to the provider.',
  remedy: () => 'Sign in to that account, and connect the provider in Settings, You.',
})

export const accountProtected = defineError({
  code: 'sign-in.account-protected',
  kind: 'forbidden',
  message: () => 'Accounts of the owner and of admins are never connected by their email address.',
  remedy: () => 'Sign in with your password, and connect the provider in Settings, You.',
})
