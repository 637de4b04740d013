import { createHash } from 'node:crypto'
import type { System } from '../system.ts'

/** A random value that nobody guesses, as it is in addresses and cookies. */
export function makePassSecret(system: Pick<System, 'randomBytes'>): string {
  return Buffer.from(system.randomBytes(32)).toString('base64url')
}

/** How it is kept. Found by this, so how long that takes says nothing about a right value. */
export function sha256Of(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}
