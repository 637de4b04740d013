import type { HashPassword } from './login.ts'

export type VerifyPassword = (attempt: { hash: string; password: string }) => Promise<boolean>

/**
 * Checks a password with exactly one verification, whether the account exists or not: without an account it verifies
 * against a hash of the same kind that no account has. So the time doesn’t tell which email addresses have accounts.
 */
export function makePasswordCheck(options: {
  hashOf: (email: string) => Promise<string | undefined>
  hash: HashPassword
  verify: VerifyPassword
}): (attempt: { email: string; password: string }) => Promise<boolean> {
  let unused: Promise<string> | undefined
  return async ({ email, password }) => {
    // Also for known accounts, or the first attempt after a start would show the difference.
    unused ??= options.hash('unused').catch((error: unknown) => {
      unused = undefined
      throw error
    })
    const unusedHash = await unused
    const hash = await options.hashOf(email)
    const isRight = await options.verify({ hash: hash ?? unusedHash, password })
    return isRight && hash !== undefined
  }
}
