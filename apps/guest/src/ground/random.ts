import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'

let pool = Buffer.alloc(0)

/** Mixes in entropy that only this incarnation was given, so that its output never repeats another one's. */
export function mixEntropy(entropy: string) {
  pool = createHash('sha256').update(pool).update(entropy).digest()
}

/**
 * Returns random text that two sandboxes restored from one memory image do not share. Node's own generators are part of
 * the image and repeat; the kernel's is not, and the host's entropy is mixed in.
 */
export function freshRandom(byteCount = 16): string {
  const bytes = Buffer.alloc(byteCount)
  const descriptor = openSync('/dev/urandom', 'r')
  try {
    readSync(descriptor, bytes)
  } finally {
    closeSync(descriptor)
  }
  return createHash('sha256')
    .update(bytes)
    .update(pool)
    .update(String(process.hrtime.bigint()))
    .digest('hex')
    .slice(0, byteCount * 2)
}
