import { randomBytes } from 'node:crypto'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { beforeAll, describe, expect, test } from 'vitest'
import { decrypted, encrypted } from './age-payload.ts'

let identity: string
let recipient: string
beforeAll(async () => {
  identity = await generateIdentity()
  recipient = await identityToRecipient(identity)
})

const chunk = 64 * 1024

async function* inPieces(bytes: Uint8Array, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}
async function whole(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(Buffer.from(part))
  return Buffer.concat(parts)
}
const seal = (bytes: Uint8Array, pieces = 10_000) => whole(encrypted(inPieces(bytes, pieces), recipient))
const open = (bytes: Uint8Array, pieces = 10_000) => whole(decrypted(inPieces(bytes, pieces), identity))
const headerBytes = (sealed: Buffer) => sealed.indexOf('\n', sealed.indexOf('\n--- ') + 1) + 1 + 16

describe.each([0, 1, chunk - 1, chunk, chunk + 1, 3 * chunk, 3 * chunk + 5])('a file of %d bytes', (size) => {
  test('is read by the library, and here', async () => {
    const bytes = randomBytes(size)
    const sealed = await seal(bytes)
    const decrypter = new Decrypter()
    decrypter.addIdentity(identity)
    expect(bytes.equals(await decrypter.decrypt(sealed))).toBe(true)
    for (const pieces of [7, chunk + 16, 10 * chunk]) expect(bytes.equals(await open(sealed, pieces))).toBe(true)
  })

  test('that the library wrote is read here', async () => {
    const bytes = randomBytes(size)
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    expect(bytes.equals(await open(await encrypter.encrypt(bytes)))).toBe(true)
  })
})

test('two files of the same content have nothing in common but the form', async () => {
  const [one, two] = [await seal(Buffer.alloc(chunk)), await seal(Buffer.alloc(chunk))]
  expect(one.equals(two)).toBe(false)
  expect(one.subarray(headerBytes(one)).equals(two.subarray(headerBytes(two)))).toBe(false)
})

describe('a file is refused', () => {
  const cases: [string, (sealed: Buffer) => Buffer][] = [
    ['with another bit in its header', (sealed) => flipped(sealed, 60)],
    ['with another bit in its nonce', (sealed) => flipped(sealed, headerBytes(sealed) - 1)],
    ['with another bit in its first chunk', (sealed) => flipped(sealed, headerBytes(sealed) + 5)],
    ['with another bit in its last tag', (sealed) => flipped(sealed, sealed.byteLength - 1)],
    ['without its last chunk', (sealed) => sealed.subarray(0, headerBytes(sealed) + 2 * (chunk + 16))],
    ['without its end', (sealed) => sealed.subarray(0, sealed.byteLength - 3)],
    ['with only a part of a tag', (sealed) => sealed.subarray(0, headerBytes(sealed) + 2 * (chunk + 16) + 4)],
    ['with only its header', (sealed) => sealed.subarray(0, headerBytes(sealed))],
    ['with a part of its header', (sealed) => sealed.subarray(0, 100)],
    ['with more after its end', (sealed) => Buffer.concat([sealed, Buffer.from('more')])],
    ['with two chunks in the other order', swapped],
    ['that is none', () => randomBytes(100_000)],
    ['that is empty', () => Buffer.alloc(0)],
  ]
  test.each(cases)('%s', async (_, change) => {
    const sealed = await seal(randomBytes(2 * chunk + 100))
    await expect(open(change(sealed))).rejects.toThrow()
  })

  test('by another key', async () => {
    const sealed = await seal(Buffer.from('content'))
    await expect(whole(decrypted(inPieces(sealed, 100), await generateIdentity()))).rejects.toThrow(
      'no identity matched',
    )
  })
})

function flipped(sealed: Buffer, at: number): Buffer {
  const changed = Buffer.from(sealed)
  changed[at] = (changed[at] ?? 0) ^ 1
  return changed
}

function swapped(sealed: Buffer): Buffer {
  const from = headerBytes(sealed)
  const [first, second] = [0, 1].map((number) =>
    sealed.subarray(from + number * (chunk + 16), from + (number + 1) * (chunk + 16)),
  )
  return Buffer.concat([
    sealed.subarray(0, from),
    second ?? '',
    first ?? '',
    sealed.subarray(from + 2 * (chunk + 16)),
  ] as Buffer[])
}
