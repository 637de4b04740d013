import { cookieValues } from '../../platform/http/cookies.logic.ts'
import { sha256Of } from '../../platform/secrets/sha256.ts'

/** Recognizes the browser that asked for a challenge. The cookie grants nothing. */
export type BrowserCookie = {
  /** `browser`: what is stored of it. An existing cookie is kept, so that two tabs don’t replace each other’s. */
  ensure(cookieHeader: string | null): { browser: string; setCookie: string }
  isOf(browser: string, cookieHeader: string | null): boolean
}

const maxAgeSeconds = 3600

export function makeBrowserCookie(options: {
  installation: string
  isSecure: boolean
  randomBytes: (count: number) => Uint8Array
}): BrowserCookie {
  const { installation, isSecure, randomBytes } = options
  const name = `${isSecure ? '__Host-' : ''}threadbox-passkey-${installation}`
  const valuesIn = (header: string | null) =>
    cookieValues(header ?? '', name).filter((value) => /^[\w-]{43}$/.test(value))
  return {
    ensure: (header) => {
      const value = valuesIn(header)[0] ?? Buffer.from(randomBytes(32)).toString('base64url')
      const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
      return { browser: sha256Of(value), setCookie: `${name}=${value}; ${attributes}` }
    },
    // A preview’s page can plant cookies of this name over plain HTTP.
    isOf: (browser, header) => valuesIn(header).some((value) => sha256Of(value) === browser),
  }
}
