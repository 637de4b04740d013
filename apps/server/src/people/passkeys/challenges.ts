import type { System } from '../../platform/system/system.ts'
import type { RequestOrigin } from '../users/users.usecases.ts'
import type { BrowserCookie } from './browser-cookie.ts'
import { passkeyChallengeExpired, passkeyOtherBrowser } from './passkeys.errors.ts'
import type { PasskeyStore } from './passkeys.store.ts'

/** What a challenge is for: one that was made to sign in adds no passkey. `userId` null: the person isn’t known yet. */
export type ChallengeUse = { purpose: 'sign-in' | 'confirm' | 'add'; userId: string | null }

export type Challenges = {
  /** A new challenge for this browser, and the cookie by which it is recognized. */
  make(use: ChallengeUse, origin: RequestOrigin): Promise<{ challenge: string; setCookie: string }>
  /** Uses it up. Throws `passkey.challenge-expired`, `passkey.other-browser`. */
  take(challenge: string, expected: { use: ChallengeUse; origin: RequestOrigin }): Promise<void>
}

export const challengeMs = 5 * 60_000
const maxChallenges = 10_000
const pruneInterval = 50

export function makeChallenges(dependencies: {
  store: PasskeyStore
  browserCookie: BrowserCookie
  system: System
}): Challenges {
  const { store, browserCookie, system } = dependencies
  let untilPrune = 0
  return {
    make: async ({ purpose, userId }, origin) => {
      if (untilPrune === 0) {
        untilPrune = pruneInterval
        await store.pruneChallenges(system.now(), maxChallenges)
      }
      untilPrune -= 1
      const challenge = Buffer.from(system.randomBytes(32)).toString('base64url')
      const { browser, setCookie } = browserCookie.ensure(origin.headers.get('cookie'))
      const expires_at = system.now() + challengeMs
      await store.addChallenge({ challenge, purpose, user_id: userId, browser, expires_at })
      return { challenge, setCookie }
    },
    take: async (challenge, { use, origin }) => {
      const row = await store.takeChallenge(challenge)
      const isSame = row?.purpose === use.purpose && row.user_id === use.userId
      const leftMs = row === undefined ? 0 : row.expires_at - system.now()
      // A clock that was set back makes none valid for longer.
      if (row === undefined || !isSame || leftMs <= 0 || leftMs > challengeMs) throw passkeyChallengeExpired({})
      if (!browserCookie.isOf(row.browser, origin.headers.get('cookie'))) throw passkeyOtherBrowser({})
    },
  }
}
