import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { Decrypter, Encrypter } from 'age-encryption'

/**
 * Files in the format of age (age-encryption.org/v1). The library makes and reads their headers, with the keys; their content
 * is encrypted by OpenSSL, which is ten times as fast as the library’s JavaScript.
 */
const chunkBytes = 64 * 1024
const tagBytes = 16
const nonceBytes = 16
/** Ours have one recipient, in about 200 bytes. */
const maxHeaderBytes = 16 * 1024
const cipher = 'chacha20-poly1305'

/** Encrypts content to a recipient. */
export async function* encrypted(content: AsyncIterable<Uint8Array>, recipient: string): AsyncIterable<Uint8Array> {
  const { header, fileKey } = await newHeader(recipient)
  const nonce = randomBytes(nonceBytes)
  yield Buffer.concat([header, nonce])
  const key = payloadKey(fileKey, nonce)
  for await (const { bytes, number, isLast } of chunksOf(content, chunkBytes)) {
    const sealing = createCipheriv(cipher, key, chunkNonce(number, isLast), { authTagLength: tagBytes })
    yield Buffer.concat([sealing.update(bytes), sealing.final(), sealing.getAuthTag()])
  }
}

/** The content again. Fails at the first chunk that was not encrypted like this, and at the end if the file is cut. */
export async function* decrypted(stored: AsyncIterable<Uint8Array>, identity: string): AsyncIterable<Uint8Array> {
  const { header, nonce, rest } = await splitHeader(stored)
  const decrypter = new Decrypter()
  decrypter.addIdentity(identity)
  const key = payloadKey(await decrypter.decryptHeader(header), nonce)
  for await (const { bytes, number, isLast } of chunksOf(rest, chunkBytes + tagBytes)) {
    const size = bytes.byteLength - tagBytes
    if (size < 0 || (size === 0 && number > 0)) throw new Error('the encrypted file is cut')
    const opening = createDecipheriv(cipher, key, chunkNonce(number, isLast), { authTagLength: tagBytes })
    opening.setAuthTag(bytes.subarray(size))
    const content = opening.update(bytes.subarray(0, size))
    // Throws if a bit of the chunk differs, or its number.
    opening.final()
    yield content
  }
}

/** The library gives the key of a file to each recipient: a second one, which the header doesn’t name, keeps it here. */
async function newHeader(recipient: string): Promise<{ header: Uint8Array; fileKey: Uint8Array }> {
  let fileKey: Uint8Array | undefined
  const encrypter = new Encrypter()
  encrypter.addRecipient(recipient)
  encrypter.addRecipient({
    wrapFileKey: (key) => {
      fileKey = Uint8Array.from(key)
      return []
    },
  })
  const empty = await encrypter.encrypt(new Uint8Array(0))
  if (fileKey === undefined) throw new Error('age-encryption made no key for a file')
  return { header: empty.subarray(0, empty.byteLength - nonceBytes - tagBytes), fileKey }
}

function payloadKey(fileKey: Uint8Array, nonce: Uint8Array): Buffer {
  return Buffer.from(hkdfSync('sha256', fileKey, nonce, 'payload', 32))
}

/** The number of a chunk, in 11 bytes, and whether it is the last one. */
function chunkNonce(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(number, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

/** Pieces of this size; the last one can be smaller, and empty if it is the only one. The bytes are used until the next piece. */
async function* chunksOf(content: AsyncIterable<Uint8Array>, size: number) {
  const chunk = Buffer.allocUnsafe(size)
  let filled = 0
  let number = 0
  for await (const part of content) {
    for (let done = 0; done < part.byteLength; ) {
      if (filled === size) {
        yield { bytes: chunk, number, isLast: false }
        number += 1
        filled = 0
      }
      const taken = Math.min(size - filled, part.byteLength - done)
      chunk.set(part.subarray(done, done + taken), filled)
      filled += taken
      done += taken
    }
  }
  yield { bytes: chunk.subarray(0, filled), number, isLast: true }
}

async function splitHeader(stored: AsyncIterable<Uint8Array>) {
  const parts = stored[Symbol.asyncIterator]()
  let read = Buffer.alloc(0)
  for (;;) {
    const end = endOfHeader(read)
    if (end !== undefined && read.byteLength >= end + nonceBytes) {
      const from = end + nonceBytes
      return {
        header: read.subarray(0, end),
        nonce: read.subarray(end, from),
        rest: restOf(read.subarray(from), parts),
      }
    }
    if (read.byteLength > maxHeaderBytes) throw new Error('this is not a file of age')
    const { value, done } = await parts.next()
    if (done === true) throw new Error('the encrypted file is cut in its header')
    read = Buffer.concat([read, value])
  }
}

function endOfHeader(read: Buffer): number | undefined {
  const lastLine = read.indexOf('\n--- ')
  const end = lastLine < 0 ? -1 : read.indexOf('\n', lastLine + 1)
  return end < 0 ? undefined : end + 1
}

async function* restOf(first: Uint8Array, parts: AsyncIterator<Uint8Array>): AsyncIterable<Uint8Array> {
  try {
    yield first
    for (let next = await parts.next(); next.done !== true; next = await parts.next()) yield next.value
  } finally {
    await parts.return?.()
  }
}
