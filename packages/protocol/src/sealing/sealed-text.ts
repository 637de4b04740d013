import { CompactEncrypt, compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'

/** Both as JSON Web Keys, in JSON. */
export type SealingKey = { publicKey: string; privateKey: string }

/** RFC 8037 and RFC 7518: a key for this text alone, agreed on with the recipient’s. */
const [agreement, cipher] = ['ECDH-ES', 'A256GCM'] as const

/** A new key of a recipient. */
export async function makeSealingKey(): Promise<SealingKey> {
  const made = await generateKeyPair(agreement, { crv: 'X25519', extractable: true })
  const [publicKey, privateKey] = await Promise.all([exportJWK(made.publicKey), exportJWK(made.privateKey)])
  return { publicKey: JSON.stringify(publicKey), privateKey: JSON.stringify(privateKey) }
}

/** A text that a process can pass on without being able to read it: a JSON Web Encryption in its compact form. */
export async function sealText(text: string, publicKey: string): Promise<string> {
  const key = await importJWK(JSON.parse(publicKey) as JWK, agreement)
  return await new CompactEncrypt(Buffer.from(text)).setProtectedHeader({ alg: agreement, enc: cipher }).encrypt(key)
}

/** Throws if it was sealed for another key, or was changed. */
export async function openText(sealed: string, privateKey: string): Promise<string> {
  const key = await importJWK(JSON.parse(privateKey) as JWK, agreement)
  const options = { keyManagementAlgorithms: [agreement], contentEncryptionAlgorithms: [cipher] }
  const { plaintext } = await compactDecrypt(sealed, key, options)
  return Buffer.from(plaintext).toString()
}
