import type { HashPassword } from './login.ts'

export type VerifyPassword = (attempt: { hash: string; password: string }) => Promise<boolean>

/**
 * Checks a password with exactly one verification, whether the account exists or not: without an account it verifies
 * against a hash of the same kind that belongs to nobody. So the time doesn’t tell which email addresses have accounts.
 */
export function makePasswordCheck(options: {
  hashOf: (email: string) => Promise<string | undefined>
  hash: HashPassword
  verify: VerifyPassword
}): (attempt: { email: string; password: string }) => Promise<boolean> {
  let nobody: Promise<string> | undefined
  return async ({ email, password }) => {
    // Also for known accounts, or the first attempt after a start would show the difference.
    nobody ??= options.hash('nobody has this password')
    const nobodysHash = await nobody
    const hash = await options.hashOf(email)
    const isRight = await options.verify({ hash: hash ?? nobodysHash, password })
    return isRight && hash !== undefined
  }
}
