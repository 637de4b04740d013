import type { System } from '../../platform/system/system.ts'

/**
 * A random value that nobody guesses, as it is in addresses and cookies. Its SHA-256 is kept and looked for, so how long
 * that takes says nothing about a right value.
 */
export function makePassSecret(system: Pick<System, 'randomBytes'>): string {
  return Buffer.from(system.randomBytes(32)).toString('base64url')
}
