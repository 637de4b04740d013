import type { System } from '../../platform/system/system.ts'

/**
 * A random secret for URLs and cookies. Only its SHA-256 is stored and looked up, so the time of a lookup says nothing
 * about a valid secret.
 */
export function makePassSecret(system: Pick<System, 'randomBytes'>): string {
  return Buffer.from(system.randomBytes(32)).toString('base64url')
}
