import 'reflect-metadata'
import { randomBytes, webcrypto } from 'node:crypto'
import { createSecureContext, DEFAULT_CIPHERS, type SecureContext } from 'node:tls'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509'

const { subtle } = webcrypto
const curve = { name: 'ECDSA', namedCurve: 'P-256' }
const signingAlgorithm = { name: 'ECDSA', hash: 'SHA-256' }
const usages = ['sign', 'verify'] as const

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs
const leafMs = 7 * dayMs
/** A certificate is replaced this long before its end: a connection may stay open for days. */
const renewMs = 2 * dayMs
const authorityMs = 10 * 365 * dayMs
/** Clocks of sandboxes can be behind. */
const earlierMs = hourMs
/** Names in use at a time; each has a TLS context of some 50 KiB. */
const maxLeaves = 200
/** The longest text that fits into a common name. */
const maxCommonName = 64

/** The cipher that costs least comes first. */
export const ciphers = `TLS_AES_128_GCM_SHA256:${DEFAULT_CIPHERS}`

/** PEM texts. The caller stores them, the key readable only by its own user. */
export type AuthorityFiles = { certificate: string; key: string }

/** Signs certificates for the names that sandboxes connect to. */
export type Authority = {
  /** PEM of the authority’s own certificate, which sandboxes trust. */
  certificate: string
  /** What a connection to this name is served with. */
  contextFor(name: string): Promise<SecureContext>
  /** PEM of the leaf certificate; for tests and diagnostics. */
  leafFor(name: string): Promise<string>
}

/** Creates the authority of an installation. `subject` is what people see in a list of certificates. */
export async function createAuthorityFiles(options: { subject: string; clock(): number }): Promise<AuthorityFiles> {
  const keys = await subtle.generateKey(curve, true, [...usages])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: newSerialNumber(),
    name: [{ CN: [options.subject] }],
    notBefore: new Date(options.clock() - earlierMs),
    notAfter: new Date(options.clock() + authorityMs),
    keys,
    signingAlgorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const key = await subtle.exportKey('pkcs8', keys.privateKey)
  return { certificate: `${certificate.toString('pem')}\n`, key: `${PemConverter.encode(key, 'PRIVATE KEY')}\n` }
}

type Leaf = { certificate: string; context: SecureContext; endsAt: number }

/** Opens an authority that {@link createAuthorityFiles} made. Rejects if the texts aren’t a certificate and its key. */
export async function makeAuthority(files: AuthorityFiles, options: { clock(): number }): Promise<Authority> {
  const certificate = new X509Certificate(files.certificate)
  const [keyBytes] = PemConverter.decode(files.key)
  if (keyBytes === undefined) throw new TypeError('The authority’s key is not a PEM text.')
  const signingKey = await subtle.importKey('pkcs8', keyBytes, curve, false, ['sign'])
  // One key for all leaves: they are never given out, and end with this process.
  const leafKeys = await subtle.generateKey(curve, true, [...usages])
  const key = PemConverter.encode(await subtle.exportKey('pkcs8', leafKeys.privateKey), 'PRIVATE KEY')
  const leaves = new Map<string, Promise<Leaf>>()
  const make = async (name: string): Promise<Leaf> => {
    const endsAt = options.clock() + leafMs
    const leaf = await X509CertificateGenerator.create({
      serialNumber: newSerialNumber(),
      subject: [{ CN: [name.length > maxCommonName ? 'threadbox' : name] }],
      issuer: certificate.subjectName,
      notBefore: new Date(options.clock() - earlierMs),
      notAfter: new Date(endsAt),
      publicKey: leafKeys.publicKey,
      signingKey,
      signingAlgorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
        await SubjectKeyIdentifierExtension.create(leafKeys.publicKey),
        await AuthorityKeyIdentifierExtension.create(certificate.publicKey),
      ],
    })
    const pem = `${leaf.toString('pem')}\n`
    const context = createSecureContext({ cert: pem, key, ciphers, honorCipherOrder: true, minVersion: 'TLSv1.2' })
    return { certificate: pem, context, endsAt }
  }
  const find = async (name: string): Promise<Leaf> => {
    const known = leaves.get(name)
    leaves.delete(name)
    const isFresh = known !== undefined && (await known).endsAt - options.clock() > renewMs
    const leaf = isFresh ? known : make(name)
    // The last is the one used last.
    leaves.set(name, leaf)
    if (leaves.size > maxLeaves) leaves.delete(leaves.keys().next().value ?? name)
    leaf.catch(() => leaves.delete(name))
    return await leaf
  }
  return {
    certificate: files.certificate,
    contextFor: async (name) => (await find(name)).context,
    leafFor: async (name) => (await find(name)).certificate,
  }
}

/** Positive and of 16 bytes: the first byte is neither 0 nor over 127. */
function newSerialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}
