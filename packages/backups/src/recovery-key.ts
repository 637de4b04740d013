import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { recoveryKeyInvalid } from './backups.errors.ts'

/** What the machine has: with it, backups can be written and checked, but not read. */
export type MachineKeys = { recipient: string; signingKey: string }
/** What restores: the identity decrypts, the verification key tells who wrote. */
export type RecoveryKey = { identity: string; verificationKey: string }

const prefix = 'threadbox-recovery-1'
const identityPattern = /^AGE-SECRET-KEY-1[A-Z0-9]{58}$/
/** What an Ed25519 key begins with in its standard form. */
const derPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** What encrypts and decrypts what the machine itself reads again. */
export async function makeIdentity(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

export async function makeKeys(): Promise<{ recoveryKey: string; machine: MachineKeys }> {
  const { identity, recipient } = await makeIdentity()
  const { privateKey } = generateKeyPairSync('ed25519')
  const signingKey = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const verificationKey = verificationKeyOf(signingKey)
  return { recoveryKey: formatRecoveryKey({ identity, verificationKey }), machine: { recipient, signingKey } }
}

/** The text that a person keeps: its last 8 characters are a checksum of the rest. */
export function formatRecoveryKey({ identity, verificationKey }: RecoveryKey): string {
  const body = `${prefix}.${identity}.${verificationKey}`
  return `${body}.${checksumOf(body)}`
}

/** Accepts spaces and line breaks anywhere, which mail and paper add. */
export function parseRecoveryKey(text: string): RecoveryKey {
  const [start, identity = '', verificationKey = '', checksum, ...rest] = text.replaceAll(/\s/g, '').split('.')
  const body = `${start}.${identity}.${verificationKey}`
  const isKey = start === prefix && identityPattern.test(identity) && /^[A-Za-z0-9_-]{43}$/.test(verificationKey)
  if (!isKey || rest.length > 0 || checksum !== checksumOf(body)) throw recoveryKeyInvalid({})
  return { identity, verificationKey }
}

/** The characters that are typed back to show that the key was kept. */
export function endOf(recoveryKey: string): string {
  return recoveryKey.slice(-8)
}

export function verificationKeyOf(signingKey: string): string {
  const der = createPublicKey(privateKeyOf(signingKey)).export({ format: 'der', type: 'spki' })
  return der.subarray(derPrefix.length).toString('base64url')
}

export function signText(text: string, signingKey: string): string {
  return sign(null, Buffer.from(text), privateKeyOf(signingKey)).toString('base64url')
}

export function isSigned(text: string, signature: string, verificationKey: string): boolean {
  const der = Buffer.concat([derPrefix, Buffer.from(verificationKey, 'base64url')])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'))
}

function privateKeyOf(signingKey: string): KeyObject {
  return createPrivateKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'pkcs8' })
}

function checksumOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8)
}
