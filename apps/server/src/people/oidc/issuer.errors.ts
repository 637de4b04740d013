import { defineError } from '@threadbox/errors'

const again = () => 'Try again. If it stays, tell the owner of this installation.'
const askOwner = () => 'Tell the owner of this installation: the provider’s settings and this one’s don’t match.'

export const issuerUnreachable = defineError({
  code: 'sign-in.provider-unreachable',
  kind: 'unavailable',
  message: () => 'The provider does not respond.',
  remedy: () => 'Try again later, or sign in with your password.',
})

export const issuerSlow = defineError({
  code: 'sign-in.provider-slow',
  kind: 'unavailable',
  message: () => 'The provider took too long to respond.',
  remedy: () => 'Try again later, or sign in with your password.',
})

export const issuerAnswerTooLarge = defineError({
  code: 'sign-in.answer-too-large',
  kind: 'unavailable',
  message: () => 'A response of the provider was larger than 1 MiB and was cut off.',
  remedy: askOwner,
})

export const issuerAddressRefused = defineError({
  code: 'sign-in.address-refused',
  kind: 'forbidden',
  message: () => 'The provider’s address is in a private network, or it is not encrypted.',
  remedy: () => 'An administrator can allow it with THREADBOX_CONNECTIONS_ALLOW.',
})

export const issuerInvalid = defineError({
  code: 'sign-in.provider-invalid',
  kind: 'unavailable',
  message: () => 'The provider’s responses are not those of an OpenID Connect issuer.',
  remedy: () => 'The owner should check the issuer’s address: `/.well-known/openid-configuration` is read below it.',
})

export const issuerMixedUp = defineError({
  code: 'sign-in.issuer-wrong',
  kind: 'forbidden',
  message: () => 'The response is from another issuer than the one where you signed in.',
  remedy: askOwner,
})

export const clientRefused = defineError({
  code: 'sign-in.client-refused',
  kind: 'forbidden',
  message: () => 'The provider doesn’t accept this installation’s client ID or client secret.',
  remedy: askOwner,
})

export const codeRefused = defineError({
  code: 'sign-in.code-refused',
  kind: 'forbidden',
  message: () => 'The provider says that this sign-in was used already or is no longer valid.',
  remedy: () => 'Start again on the sign-in page.',
})

export const nonceWrong = defineError({
  code: 'sign-in.nonce-wrong',
  kind: 'forbidden',
  message: () => 'The provider’s response belongs to another sign-in.',
  remedy: again,
})

export const audienceWrong = defineError({
  code: 'sign-in.audience-wrong',
  kind: 'forbidden',
  message: () => 'The provider’s response is for another app.',
  remedy: askOwner,
})

export const algorithmRefused = defineError({
  code: 'sign-in.algorithm-refused',
  kind: 'forbidden',
  message: () => 'The provider’s response is not signed in a way that proves where it comes from.',
  remedy: () => 'The provider must sign ID tokens with a key pair, such as RS256 or ES256, not with `none` or HS256.',
})

export const signatureWrong = defineError({
  code: 'sign-in.signature-wrong',
  kind: 'forbidden',
  message: () => 'The signature of the provider’s response is wrong.',
  remedy: again,
})

export const tokenExpired = defineError({
  code: 'sign-in.token-expired',
  kind: 'forbidden',
  message: () => 'The provider’s response has expired, or is from the future.',
  remedy: () => 'Try again. If it stays, the owner should check the clocks of both machines.',
})

export const tokenInvalid = defineError({
  code: 'sign-in.token-invalid',
  kind: 'forbidden',
  message: () => 'The provider’s response is incomplete or contradicts itself.',
  remedy: askOwner,
})

export const groupsOverage = defineError({
  code: 'sign-in.groups-overage',
  kind: 'forbidden',
  message: () => 'You are in more groups than the provider puts into its response.',
  remedy: () =>
    'At the provider, limit the claim to the groups that are assigned to this app, or use app roles instead.',
})

export const groupsUnreadable = defineError({
  code: 'sign-in.groups-unreadable',
  kind: 'forbidden',
  message: () => 'The provider’s claim with groups is neither a text nor a list of texts.',
  remedy: () => 'The owner should check the path of the claim.',
})

export const logoutRefused = defineError<{ problem: string }>({
  code: 'sign-in.logout-refused',
  kind: 'invalid',
  message: ({ problem }) => `This logout token isn’t accepted: ${problem}`,
  remedy: () => 'Send a new logout token of this provider, as OpenID Connect Back-Channel Logout 1.0 describes.',
})
