import { defineError } from '@threadbox/errors'

export const authRequired = defineError({
  code: 'auth.required',
  kind: 'unauthenticated',
  message: () => 'You need to sign in.',
  remedy: () => 'Sign in, or send a valid API key as `Authorization: Bearer …`.',
})

export const credentialsWrong = defineError({
  code: 'auth.credentials-wrong',
  kind: 'unauthenticated',
  message: () => 'The email address or password is incorrect.',
  remedy: () => 'Check both, and check that Caps Lock is off.',
})

export const tooManyAttempts = defineError<{ retryAfterSeconds: number }>({
  code: 'auth.too-many-attempts',
  kind: 'exhausted',
  message: ({ retryAfterSeconds }) => `Too many attempts. Try again in ${retryAfterSeconds} s.`,
  remedy: () => 'Wait, then try again.',
})

export const signUpClosed = defineError({
  code: 'auth.sign-up-closed',
  kind: 'forbidden',
  message: () => 'This installation already has an owner. Other people can’t sign up.',
  remedy: () => 'If you’re the owner, sign in. Otherwise, ask the owner for a link to a thread.',
})

export const ownerTokenWrong = defineError({
  code: 'auth.owner-token-wrong',
  kind: 'forbidden',
  message: () => 'This sign-up link is not valid for this installation.',
  remedy: () => 'Use the latest link printed by `./threadbox up`.',
})

export const emailTaken = defineError({
  code: 'auth.email-taken',
  kind: 'conflict',
  message: () => 'An account with this email address already exists.',
  remedy: () => 'Sign in, or use another address.',
})

export const sessionNotFound = defineError({
  code: 'session.not-found',
  kind: 'not-found',
  message: () => 'Session not found.',
  remedy: () => 'It may have ended. Reload the list.',
})

export const apiKeyNotFound = defineError({
  code: 'api-key.not-found',
  kind: 'not-found',
  message: () => 'API key not found.',
  remedy: () => 'It may already have been deleted. Reload the list.',
})

export const confirmationRequired = defineError({
  code: 'auth.confirmation-required',
  kind: 'forbidden',
  message: () => 'This needs your password or a passkey again, because you signed in more than 10 minutes ago.',
  remedy: () => 'Confirm that it’s you with `POST /auth/confirm`, then repeat the request.',
})

export const scopeMissing = defineError<{ scope: string; action: string }>({
  code: 'auth.scope-missing',
  kind: 'forbidden',
  message: ({ scope }) => `This API key doesn’t have the scope “${scope}”.`,
  remedy: ({ scope }) => `Use a key with the scope “${scope}”. You can create one in Settings, API keys.`,
})

export const keyOutsideWorkspaces = defineError({
  code: 'auth.outside-workspaces',
  kind: 'forbidden',
  message: () => 'This API key is limited to workspaces, and this is outside of them.',
  remedy: () => 'Name one of the key’s workspaces (`workspaceId`), or use a key that isn’t limited.',
})

export const passwordWrong = defineError({
  code: 'auth.password-wrong',
  kind: 'forbidden',
  message: () => 'The password is incorrect.',
  remedy: () => 'Check it, and check that Caps Lock is off.',
})

export const sessionRequired = defineError({
  code: 'auth.session-required',
  kind: 'forbidden',
  message: () => 'You can’t do this with an API key.',
  remedy: () => 'Sign in to the app and do it there.',
})

export const accountDisabled = defineError({
  code: 'auth.account-disabled',
  kind: 'forbidden',
  message: () => 'Your account is disabled.',
  remedy: () => 'Ask the owner or an admin of this installation to enable it.',
})

export const personNotFound = defineError({
  code: 'person.not-found',
  kind: 'not-found',
  message: () => 'Person not found.',
  remedy: () => 'They may have left. Reload the list.',
})

export const personProtected = defineError<{ role: string }>({
  code: 'person.protected',
  kind: 'forbidden',
  message: () => 'You can’t change this person’s account or role.',
  remedy: () => 'Admins can change members. Ask the owner for everything else.',
})

export const passkeyRequired = defineError({
  code: 'auth.passkey-required',
  kind: 'forbidden',
  message: () => 'The owner and admins of this installation need a passkey for this, and you have none.',
  remedy: () => 'Add one in Settings, You, then try again.',
})

export const personBeingErased = defineError({
  code: 'person.being-erased',
  kind: 'conflict',
  message: () => 'This person’s account is being erased.',
  remedy: () => 'It can’t be enabled again. Invite the person to create a new account.',
})

export const lastWayIn = defineError({
  code: 'sign-in.last-way',
  kind: 'conflict',
  message: () => 'You couldn’t sign in anymore: this is your only way.',
  remedy: () => 'Connect another one first, or ask for a link with which you set a password.',
})
