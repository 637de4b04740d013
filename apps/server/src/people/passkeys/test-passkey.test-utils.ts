import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type {
  NewPasskeyRequest,
  Passkey,
  PasskeyAssertion,
  PasskeyRegistration,
  PasskeyRequest,
} from '@threadbox/protocol/public'
import type { TestApplication, TestPerson } from '../../application.test-utils.ts'

/** What an authenticator does otherwise than it should. */
export type Deviation = {
  origin?: string
  host?: string
  crossOrigin?: boolean
  isVerified?: boolean
  counter?: number
  userHandle?: string | null
  /** The attestation that a browser sends although none was asked for. */
  attestation?: { fmt: string; attStmt: Map<string, unknown> }
}

/** An authenticator with one passkey, in software: ES256, with a counter. */
export type TestPasskey = {
  credentialId: string
  counter: number
  create(request: Pick<NewPasskeyRequest, 'challenge' | 'rp'>, deviation?: Deviation): PasskeyRegistration
  get(request: Pick<PasskeyRequest, 'challenge' | 'rpId'>, deviation?: Deviation): PasskeyAssertion
}

const appOrigin = 'http://localhost'

/** `counts` false: it always counts 0, as passkeys that are on several devices do. */
export function newTestPasskey({ counts = true }: { counts?: boolean } = {}): TestPasskey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  const credentialId = id.toString('base64url')
  const cose = new Map<number, unknown>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
  const key: TestPasskey = {
    credentialId,
    counter: 0,
    create: ({ challenge, rp }, deviation = {}) => {
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, encode(cose)])
      const authData = Buffer.concat([authenticatorData({ host: rp.id, flags: 0x40, ...deviation }), attested])
      const { fmt, attStmt } = deviation.attestation ?? { fmt: 'none', attStmt: new Map() }
      const attestation = new Map<string, unknown>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', new Uint8Array(authData)],
      ])
      const clientDataJSON = clientData('webauthn.create', { challenge, ...deviation }).toString('base64url')
      const response = { clientDataJSON, attestationObject: encode(attestation).toString('base64url') }
      return {
        id: credentialId,
        rawId: credentialId,
        type: 'public-key',
        response: { ...response, transports: ['usb'] },
      }
    },
    get: ({ challenge, rpId }, deviation = {}) => {
      key.counter = deviation.counter ?? (counts ? key.counter + 1 : 0)
      const authData = authenticatorData({ host: rpId, flags: 0, counter: key.counter, ...deviation })
      const client = clientData('webauthn.get', { challenge, ...deviation })
      const signed = Buffer.concat([authData, createHash('sha256').update(client).digest()])
      const response = {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
        userHandle: deviation.userHandle ?? null,
      }
      return { id: credentialId, rawId: credentialId, type: 'public-key', response }
    },
  }
  return key
}

/** Adds a passkey of this person through the API. */
export async function addPasskey(
  server: TestApplication,
  { person, key, name = 'Laptop' }: { person: TestPerson; key: TestPasskey; name?: string },
): Promise<Passkey> {
  const asked = await server.call('POST', '/api/v1/passkeys/request', { person })
  const request = (await asked.json()) as NewPasskeyRequest
  const answered = await server.call('POST', '/api/v1/passkeys', {
    person: withCookies(person, asked),
    body: { name, registration: key.create(request) },
  })
  return (await answered.json()) as Passkey
}

/** The person’s browser with the cookies that a response has set. */
export function withCookies(person: TestPerson, response: Response): TestPerson {
  const set = response.headers.getSetCookie().map((value) => value.split(';')[0])
  return { ...person, headers: { cookie: [person.headers.cookie, ...set].filter(Boolean).join('; ') } }
}

function authenticatorData(given: { host: string; flags: number; isVerified?: boolean; counter?: number }): Buffer {
  const flags = given.flags | 0x01 | ((given.isVerified ?? true) ? 0x04 : 0)
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(given.counter ?? 0)
  return Buffer.concat([createHash('sha256').update(given.host).digest(), Buffer.from([flags]), counter])
}

function clientData(
  type: string,
  { challenge, origin = appOrigin, crossOrigin = false }: { challenge: string; origin?: string; crossOrigin?: boolean },
): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }))
}

function encode(value: Map<never, unknown> | Map<number, unknown> | Map<string, unknown>): Buffer {
  return Buffer.from(isoCBOR.encode(value as Parameters<typeof isoCBOR.encode>[0]))
}
