import { createHmac } from 'node:crypto'
import { cookieValues } from '../../platform/http/cookies.logic.ts'
import { isSameSecret } from '../../platform/secrets/is-same-secret.ts'

/**
 * Recognizes devices on which a person has signed in before (OWASP: device cookies). Their attempts are counted per
 * device, so guesses of the password elsewhere can't lock the account's person out. The cookie grants nothing else.
 */
export type Devices = {
  /** A `Set-Cookie` value that makes this browser a known device of the account. */
  cookieFor(email: string): string
  /** The device’s id, if the browser has a valid cookie for this account. */
  deviceOf(email: string, cookieHeader: string | null): string | undefined
  /** A `Set-Cookie` value with the valid cookie that the browser has for this account. */
  sameCookie(email: string, cookieHeader: string | null): string | undefined
}

/** 400 days: the longest that browsers keep a cookie (RFC 6265bis). */
const lifetimeMs = 400 * 24 * 3600 * 1000

export function makeDevices(options: {
  secret: Buffer
  installation: string
  isSecure: boolean
  now: () => number
  randomBytes: (count: number) => Uint8Array
}): Devices {
  const { secret, installation, isSecure, now } = options
  const name = `${isSecure ? '__Host-' : ''}threadbox-device-${installation}`
  // The address isn’t in the cookie, so a device doesn’t show who has used it.
  const sign = (device: string, email: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify([device, email.toLowerCase()]))
      .digest('base64url')
  const toCookie = (device: string, email: string) => {
    const attributes = `Path=/; Max-Age=${lifetimeMs / 1000}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
    return `${name}=${device}.${sign(device, email)}; ${attributes}`
  }
  const deviceOf: Devices['deviceOf'] = (email, cookieHeader) => {
    // A preview’s page can plant cookies of this name over plain HTTP.
    for (const value of cookieValues(cookieHeader ?? '', name)) {
      const [, device = '', since = '', signature = ''] = /^(([0-9a-z]+)-[\w-]+)\.([\w-]+)$/.exec(value) ?? []
      if (!isSameSecret(signature, sign(device, email))) continue
      const ageMs = now() - Number.parseInt(since, 36)
      if (ageMs <= lifetimeMs) return device
    }
    return undefined
  }
  return {
    cookieFor: (email) =>
      toCookie(`${now().toString(36)}-${Buffer.from(options.randomBytes(16)).toString('base64url')}`, email),
    deviceOf,
    sameCookie: (email, cookieHeader) => {
      const device = deviceOf(email, cookieHeader)
      return device === undefined ? undefined : toCookie(device, email)
    },
  }
}
