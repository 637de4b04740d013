import { makeKeyedLock } from '@threadbox/concurrency'
import { lastWayIn } from './users.errors.ts'

/** With what people sign in: a password, passkeys, accounts at providers. A person can’t remove the last one. */
export type WaysIn = {
  /** Runs `remove`, which removes one of them. Throws `sign-in.last-way` if the person has no other. */
  remove<Result>(userId: string, remove: () => Promise<Result>): Promise<Result>
}

export function makeWaysIn(counts: {
  hasPassword(userId: string): Promise<boolean>
  passkeys(userId: string): Promise<readonly unknown[]>
  identities(userId: string): Promise<readonly unknown[]>
}): WaysIn {
  // One at a time, so that two can’t each remove the other way in.
  const inOrder = makeKeyedLock()
  return {
    remove: (userId, remove) =>
      inOrder(userId, async () => {
        const [hasPassword, passkeys, identities] = await Promise.all([
          counts.hasPassword(userId),
          counts.passkeys(userId),
          counts.identities(userId),
        ])
        if (Number(hasPassword) + passkeys.length + identities.length <= 1) throw lastWayIn({})
        return await remove()
      }),
  }
}
