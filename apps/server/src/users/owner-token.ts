import { createHash, timingSafeEqual } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'

/** The one-time token that makes the first person the owner. It is a file, so that only this machine's admin has it. */
export type OwnerToken = {
  /** Compared in constant time. False also when there is no token. */
  matches(candidate: string): Promise<boolean>
  /** The token is used up. */
  consume(): Promise<void>
}

export function makeOwnerToken(file: string): OwnerToken {
  const digest = (value: string) => createHash('sha256').update(value).digest()
  return {
    matches: async (candidate) => {
      const token = file === '' ? '' : (await readFile(file, 'utf8').catch(() => '')).trim()
      const isEqual = timingSafeEqual(digest(candidate.trim()), digest(token))
      return isEqual && token.length >= 16
    },
    consume: async () => {
      if (file !== '') await rm(file, { force: true })
    },
  }
}
