import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { contentPieces } from './content-pieces.ts'

const piecesOf = async (bytes: Buffer) => {
  const pieces: { hash: string; size: number }[] = []
  const content = async function* () {
    yield bytes
  }
  for await (const piece of contentPieces(content())) {
    pieces.push({ hash: createHash('sha256').update(piece).digest('hex'), size: piece.byteLength })
  }
  return pieces
}

test('pieces are of 64 KiB to 1 MiB; after bytes that are inserted at the front, nearly all stay the same', async () => {
  const bytes = randomBytes(12 * 1024 * 1024)
  const before = await piecesOf(bytes)
  const sizes = before.slice(0, -1).map(({ size }) => size)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(64 * 1024)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024)
  expect(sizes.length).toBeGreaterThan(20)
  const known = new Set(before.map(({ hash }) => hash))
  const after = await piecesOf(Buffer.concat([randomBytes(1000), bytes]))
  expect(after.filter(({ hash }) => !known.has(hash)).length).toBeLessThanOrEqual(2)
})

test('content without any border, such as zeros, has pieces of the largest size', async () => {
  const pieces = await piecesOf(Buffer.alloc(3 * 1024 * 1024 + 5))
  expect(pieces.map(({ size }) => size)).toEqual([1024 * 1024, 1024 * 1024, 1024 * 1024, 5])
})
