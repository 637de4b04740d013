import { createHash } from 'node:crypto'
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server'
import {
  decodeAttestationObject,
  decodeClientDataJSON,
  isoBase64URL,
  isoCBOR,
  parseAuthenticatorData,
} from '@simplewebauthn/server/helpers'
import type { PasskeyAssertion, PasskeyRegistration } from '@threadbox/protocol/public'
import { passkeyHostWrong, passkeyInvalid, passkeyNotVerified, passkeyOriginWrong } from './passkeys.errors.ts'
import type { RelyingParty } from './relying-party.logic.ts'

/** Ed25519, ES256, RS256: named, so that what was accepted can be verified by any later version of Node. */
export const algorithms = [-8, -7, -257] as const

/** The challenge that a response answers. Throws `passkey.invalid`. */
export function challengeOf({ response }: { response: { clientDataJSON: string } }): string {
  const { challenge } = reading(() => ({ ...decodeClientDataJSON(response.clientDataJSON) }))
  if (typeof challenge !== 'string') throw passkeyInvalid({})
  return challenge
}

/**
 * Checks an assertion with the passkey’s public key, and returns the authenticator’s count, which the caller compares: only
 * a count that was signed is worth a row in the audit log. Throws `passkey.origin-wrong`, `passkey.host-wrong`,
 * `passkey.not-verified`, `passkey.invalid`.
 */
export async function checkAssertion(
  assertion: PasskeyAssertion,
  expected: { challenge: string; party: RelyingParty; credential: { id: string; publicKey: string } },
): Promise<{ counter: number }> {
  const { challenge, party, credential } = expected
  const { userHandle, ...response } = assertion.response
  const result = await verifyAuthenticationResponse({
    response: {
      ...assertion,
      response: { ...response, ...(userHandle == null ? {} : { userHandle }) },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    // The count is compared by the caller: with 0 the library accepts any.
    credential: { id: credential.id, publicKey: isoBase64URL.toBuffer(credential.publicKey), counter: 0 },
  }).catch((error: unknown) => {
    throw passkeyInvalid({}, { cause: error })
  })
  if (!result.verified) throw passkeyInvalid({})
  return { counter: result.authenticationInfo.newCounter }
}

/** Checks what an assertion shows without its public key, in the order in which it matters. Throws as `checkAssertion`. */
export function checkCircumstances({ response }: PasskeyAssertion, party: RelyingParty): void {
  checkClientData(response.clientDataJSON, party)
  checkAuthenticatorData(() => isoBase64URL.toBuffer(response.authenticatorData), party)
}

/**
 * Checks a new passkey. What a browser states about the make of the device is dropped unread: it wasn’t asked for, and
 * checking it would load lists of revoked certificates from addresses that it names. Throws as `checkAssertion`.
 */
export async function checkRegistration(
  registration: PasskeyRegistration,
  expected: { challenge: string; party: RelyingParty },
): Promise<{ credentialId: string; publicKey: string; counter: number }> {
  const { challenge, party } = expected
  const { clientDataJSON, attestationObject } = registration.response
  checkClientData(clientDataJSON, party)
  const authData = reading(() => decodeAttestationObject(isoBase64URL.toBuffer(attestationObject)).get('authData'))
  checkAuthenticatorData(() => authData, party)
  const bare = new Map<string, unknown>([
    ['fmt', 'none'],
    ['attStmt', new Map()],
    ['authData', authData],
  ])
  const encoded = reading(() => isoBase64URL.fromBuffer(isoCBOR.encode(bare as Parameters<typeof isoCBOR.encode>[0])))
  const result = await verifyRegistrationResponse({
    response: {
      ...registration,
      response: { clientDataJSON, attestationObject: encoded },
      clientExtensionResults: {},
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...algorithms],
  }).catch((error: unknown) => {
    throw passkeyInvalid({}, { cause: error })
  })
  const credential = result.registrationInfo?.credential
  if (!result.verified || credential === undefined || credential.id !== registration.id) throw passkeyInvalid({})
  const { id, publicKey, counter } = credential
  return { credentialId: id, publicKey: isoBase64URL.fromBuffer(publicKey), counter }
}

function checkClientData(clientDataJSON: string, party: RelyingParty): void {
  const { origin, crossOrigin } = reading(() => ({ ...decodeClientDataJSON(clientDataJSON) }))
  // The app is in no frame: a page of another origin around it has framed a copy.
  if (origin !== party.origin || (crossOrigin ?? false) !== false) throw passkeyOriginWrong({})
}

function checkAuthenticatorData(read: () => Uint8Array, party: RelyingParty): void {
  const { rpIdHash, flags } = reading(() => parseAuthenticatorData(new Uint8Array(read())))
  const expected = createHash('sha256').update(party.id).digest()
  if (!expected.equals(rpIdHash)) throw passkeyHostWrong({})
  if (!flags.up || !flags.uv) throw passkeyNotVerified({})
}

function reading<Value>(read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw passkeyInvalid({}, { cause: error })
  }
}
