import { createHash } from 'node:crypto'

/** SHA-256 in hexadecimal. */
export function sha256Of(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
