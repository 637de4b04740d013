import { defineError } from '@threadbox/errors'

export const authRequired = defineError({
  code: 'auth.required',
  kind: 'unauthenticated',
  message: () => 'This needs a login, and the request has none that is valid.',
  remedy: () => 'Log in, or send a valid API key as `Authorization: Bearer …`.',
})

export const credentialsWrong = defineError({
  code: 'auth.credentials-wrong',
  kind: 'unauthenticated',
  message: () => 'E-mail address and password do not belong together.',
  remedy: () => 'Check both, and whether Caps Lock is on.',
})

export const tooManyAttempts = defineError<{ retryAfterSeconds: number }>({
  code: 'auth.too-many-attempts',
  kind: 'exhausted',
  message: ({ retryAfterSeconds }) => `Too many attempts. The next one is possible in ${retryAfterSeconds} s.`,
  remedy: () => 'Wait and try again.',
})

export const signUpClosed = defineError({
  code: 'auth.sign-up-closed',
  kind: 'forbidden',
  message: () => 'This installation has an owner already, and further people cannot sign up.',
  remedy: () => 'Log in instead.',
})

export const ownerTokenWrong = defineError({
  code: 'auth.owner-token-wrong',
  kind: 'forbidden',
  message: () => 'The sign-up link is not the one that this installation gave out.',
  remedy: () => 'Use the newest link that `./threadbox up` printed.',
})

export const emailTaken = defineError({
  code: 'auth.email-taken',
  kind: 'conflict',
  message: () => 'Somebody has signed up with this e-mail address already.',
  remedy: () => 'Log in, or use another address.',
})

export const sessionNotFound = defineError({
  code: 'session.not-found',
  kind: 'not-found',
  message: () => 'There is no login with this id.',
  remedy: () => 'It may have ended already. Load the list again.',
})

export const apiKeyNotFound = defineError({
  code: 'api-key.not-found',
  kind: 'not-found',
  message: () => 'There is no API key with this id.',
  remedy: () => 'It may have been deleted already. Load the list again.',
})

export const sessionRequired = defineError({
  code: 'auth.session-required',
  kind: 'forbidden',
  message: () => 'This can only be done by a person who is logged in, not with an API key.',
  remedy: () => 'Log in to the app and do it there.',
})
