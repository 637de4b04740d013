import { LRUCache } from 'lru-cache'
import { cookieValues } from '../../platform/http/cookies.logic.ts'
import type { Devices } from './device-cookie.ts'
import { sessionCookie } from './login.ts'
import { authRequired } from './users.errors.ts'

/**
 * Gives a browser its session back after it removed all cookies of the domain, with those that a page planted. The
 * removal has to be a response of its own: browsers store a response’s new cookies before they remove the old ones.
 */
export type KeptCookies = {
  /** Returns a token for `restore`. `headers`: of the request, with one session cookie. */
  keep(caller: { userId: string; headers: Headers }): Promise<string>
  /** `Set-Cookie` values, once and within a minute. Throws `auth.required` for other tokens. */
  restore(token: string): string[]
}

const lifetimeMs = 60_000
const maxTokens = 1000

/** Tokens are in memory: after a restart between the two requests the person signs in again. */
export function makeKeptCookies(options: {
  name: string
  isSecure: boolean
  devices: Devices
  emailOf: (userId: string) => Promise<string | undefined>
  now: () => number
  randomBytes: (count: number) => Uint8Array
}): KeptCookies {
  const { name, isSecure, devices } = options
  const tokens = new LRUCache<string, string[]>({ max: maxTokens, ttl: lifetimeMs, ttlResolution: 0, perf: options })
  return {
    keep: async ({ userId, headers }) => {
      const header = headers.get('cookie') ?? ''
      const email = await options.emailOf(userId)
      const device = email === undefined ? undefined : devices.sameCookie(email, header)
      const sessions = cookieValues(header, name).map((value) => sessionCookie({ name, value, isSecure }))
      const token = Buffer.from(options.randomBytes(32)).toString('base64url')
      tokens.set(token, [...sessions, ...(device === undefined ? [] : [device])])
      return token
    },
    restore: (token) => {
      const cookies = tokens.get(token)
      if (cookies === undefined) throw authRequired({})
      tokens.delete(token)
      return cookies
    },
  }
}
