import { createHmac } from 'node:crypto'
import { isSameSecret } from '../secrets/is-same-secret.ts'

/** Browsers keep at most a few hundred cookies of a domain; more come from a program. */
const maxValues = 1000

/**
 * The values of a cookie in a `Cookie` header. A preview's page can plant cookies of any name for the whole domain, and
 * choose whether they come before the app's.
 */
export function cookieValues(header: string | undefined, name: string): string[] {
  return pairs(header)
    .filter((cookie) => cookie.startsWith(`${name}=`))
    .slice(0, maxValues)
    .map((cookie) => cookie.slice(name.length + 1))
}

/** How many cookies a `Cookie` header has. */
export function cookieCount(header: string | undefined): number {
  return pairs(header).filter((cookie) => cookie !== '').length
}

/**
 * A `Set-Cookie` value that asks the browser to keep this cookie when a page plants so many that it removes the oldest
 * ones (Chromium; other browsers ignore it).
 */
export function withHighPriority(cookie: string): string {
  return `${cookie}; Priority=High`
}

/** The header with only this value of the cookie. */
export function withOnlyCookie(header: string, cookie: { name: string; value: string }): string {
  const others = pairs(header).filter((other) => !other.startsWith(`${cookie.name}=`))
  return [...others, `${cookie.name}=${cookie.value}`].join('; ')
}

/** Whether the authentication library signed this value (better-call: value, dot, HMAC-SHA-256 in Base64). */
export function isSigned(secret: string, cookieValue: string): boolean {
  const text = decoded(cookieValue)
  const end = text.lastIndexOf('.')
  const signature = createHmac('sha256', secret)
    .update(text.slice(0, Math.max(0, end)))
    .digest('base64')
  return end > 0 && isSameSecret(text.slice(end + 1), signature)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

function pairs(header: string | undefined): string[] {
  return (header ?? '').split(';').map((cookie) => cookie.trim())
}
