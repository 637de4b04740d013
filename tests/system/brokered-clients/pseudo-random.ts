import { type Cipheriv, createCipheriv } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const part = Buffer.alloc(64 * 1024)

const cipher = (): Cipheriv => createCipheriv('aes-128-ctr', Buffer.alloc(16, 7), Buffer.alloc(16))

/** The same bytes each time. */
export function pseudoRandom(bytes: number): Buffer {
  return cipher().update(Buffer.alloc(bytes))
}

/** Writes that many of the same bytes, and ends. */
export async function send(target: Writable, bytes: number): Promise<void> {
  const zeros = function* () {
    for (let left = bytes; left > 0; left -= part.length) yield part.subarray(0, left)
  }
  await pipeline(Readable.from(zeros()), cipher(), target)
}
