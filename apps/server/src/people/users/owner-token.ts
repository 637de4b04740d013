import { readFile, rm } from 'node:fs/promises'
import { isSameSecret } from '../../platform/secrets/is-same-secret.ts'

/**
 * The one-time token that makes the first user the owner. It is a file, so that only the machine's administrator has
 * it.
 */
export type OwnerToken = {
  /** Compares in constant time. Returns false also when the token no longer exists. */
  matches(candidate: string): Promise<boolean>
  /** Deletes the token after its use. */
  consume(): Promise<void>
}

export function makeOwnerToken(file: string): OwnerToken {
  return {
    matches: async (candidate) => {
      const token = file === '' ? '' : (await readFile(file, 'utf8').catch(() => '')).trim()
      return isSameSecret(candidate.trim(), token) && token.length >= 16
    },
    consume: async () => {
      if (file !== '') await rm(file, { force: true })
    },
  }
}
