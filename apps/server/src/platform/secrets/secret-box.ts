import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { chmod, link, open, readFile, rm } from 'node:fs/promises'
import { defineError } from '@threadbox/errors'

export const secretUnreadable = defineError({
  code: 'secret.unreadable',
  kind: 'internal',
  message: () => 'A stored secret can’t be decrypted: it was encrypted with a different master key.',
  remedy: () => 'Restore `master.key` from the same backup as the database, or enter the secret again.',
})

export const masterKeyInvalid = defineError<{ path: string }>({
  code: 'secret.master-key-invalid',
  kind: 'internal',
  message: ({ path }) => `${path} is not a valid master key: it must contain 64 hexadecimal digits.`,
  remedy: () => 'Restore the file from a backup. Without it, stored secrets can’t be decrypted.',
})

/** Makes secrets unreadable in the database and its backups. Only the master key that sealed a value opens it. */
export type SecretBox = {
  seal(plain: string): string
  /** Throws `secret.unreadable`. */
  open(sealed: string): string
}

/** AES-256-GCM with a new nonce each time; stored as `v1.<nonce>.<ciphertext and tag>` in base64url. */
export function makeSecretBox(masterKey: Uint8Array): SecretBox {
  const key = deriveKey(masterKey, 'threadbox secrets v1')
  return {
    seal: (plain) => {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce)
      const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `v1.${nonce.toString('base64url')}.${sealed.toString('base64url')}`
    },
    open: (text) => {
      const [version, nonce = '', body = ''] = text.split('.')
      const sealed = Buffer.from(body, 'base64url')
      if (version !== 'v1' || sealed.length < 16) throw secretUnreadable({})
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'))
        decipher.setAuthTag(sealed.subarray(-16))
        return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw secretUnreadable({}, { cause })
      }
    },
  }
}

/** A key for one purpose, so that no two uses share one. */
export function deriveKey(masterKey: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, new Uint8Array(), purpose, 32))
}

/**
 * The master key of the installation, created at the first start: 32 random bytes in hexadecimal, readable only by the
 * server. It is linked into place as a complete file, so that two concurrent starts get the same key.
 */
export async function loadMasterKey(path: string): Promise<Uint8Array> {
  const existing = await readKey(path)
  if (existing !== undefined) return existing
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(`${randomBytes(32).toString('hex')}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
  const key = await readKey(path)
  if (key === undefined) throw masterKeyInvalid({ path })
  return key
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return undefined
  if (!/^[0-9a-f]{64}\s*$/.test(text)) throw masterKeyInvalid({ path })
  await chmod(path, 0o600)
  return Buffer.from(text.trim(), 'hex')
}
