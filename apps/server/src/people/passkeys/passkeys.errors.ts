import { defineError } from '@threadbox/errors'

export const passkeyNotFound = defineError({
  code: 'passkey.not-found',
  kind: 'not-found',
  message: () => 'Passkey not found.',
  remedy: () => 'It may already have been removed. Reload the list.',
})

export const passkeyHostUnsuitable = defineError<{ host: string }>({
  code: 'passkey.host-unsuitable',
  kind: 'conflict',
  message: ({ host }) => `Passkeys can’t be used at the address ${host}.`,
  remedy: () =>
    'Open threadbox under its own name, over https or as `localhost`. An IP address, and a name that previews share, can’t have passkeys.',
})

export const passkeyChallengeExpired = defineError({
  code: 'passkey.challenge-expired',
  kind: 'forbidden',
  message: () => 'This passkey request is no longer valid. It works once, within 5 minutes.',
  remedy: () => 'Try again.',
})

export const passkeyOtherBrowser = defineError({
  code: 'passkey.other-browser',
  kind: 'forbidden',
  message: () => 'This passkey request was made in another browser.',
  remedy: () => 'Try again in this browser, with cookies allowed.',
})

export const passkeyOriginWrong = defineError({
  code: 'passkey.origin-wrong',
  kind: 'forbidden',
  message: () => 'The passkey was used on another page than this one.',
  remedy: () => 'Use it only on threadbox’s own page. If you haven’t used it elsewhere, tell the owner.',
})

export const passkeyHostWrong = defineError({
  code: 'passkey.host-wrong',
  kind: 'forbidden',
  message: () => 'This passkey belongs to another address.',
  remedy: () => 'Use one that was added at this address, or sign in with your password and add one.',
})

export const passkeyNotVerified = defineError({
  code: 'passkey.not-verified',
  kind: 'forbidden',
  message: () => 'Your device didn’t verify that it’s you.',
  remedy: () => 'Set up a PIN, fingerprint or face on the device, then try again.',
})

export const passkeyUnknown = defineError({
  code: 'passkey.unknown',
  kind: 'unauthenticated',
  message: () => 'This passkey isn’t known here.',
  remedy: () => 'It may have been removed. Use another one, or sign in with your password.',
})

export const passkeyInvalid = defineError({
  code: 'passkey.invalid',
  kind: 'forbidden',
  message: () => 'What the device sent is not a valid passkey response.',
  remedy: () => 'Try again, or use another passkey.',
})

export const passkeyCounterBehind = defineError({
  code: 'passkey.counter-behind',
  kind: 'forbidden',
  message: () => 'This passkey has been used fewer times than threadbox knows. There may be a copy of it.',
  remedy: () => 'Sign in with your password, remove this passkey, and add a new one.',
})

export const passkeyAlreadyAdded = defineError({
  code: 'passkey.already-added',
  kind: 'conflict',
  message: () => 'This passkey has already been added.',
  remedy: () => 'Use another device, or the passkey that is in the list.',
})

export const passkeyLimit = defineError<{ limit: number }>({
  code: 'passkey.limit',
  kind: 'exhausted',
  message: ({ limit }) => `You already have ${limit} passkeys.`,
  remedy: () => 'Remove one that you no longer use.',
})
