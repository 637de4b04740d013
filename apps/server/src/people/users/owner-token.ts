import { readFile, rm } from 'node:fs/promises'
import { isSameSecret } from '../../platform/secrets/is-same-secret.ts'

/** The one-time token that makes the first person the owner. It is a file, so that only this machine's admin has it. */
export type OwnerToken = {
  /** Compared in constant time. False also when there is no token. */
  matches(candidate: string): Promise<boolean>
  /** The token is used up. */
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
