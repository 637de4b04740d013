import type { Logger } from '@threadbox/telemetry'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import type { OpenDatabase } from '../../platform/database/database.ts'
import type { System } from '../../platform/system/system.ts'

/** Lifetime of an unused session. */
const sessionSeconds = 30 * 24 * 3600

export type LoginOptions = {
  open: OpenDatabase
  system: System
  secret: string
  installation: string
  /** True when users reach the app over TLS. */
  isSecure: boolean
  logger: Logger
  /** Hashes a password; the default is the library's own way (scrypt). */
  hashPassword?: HashPassword
}

export type HashPassword = (password: string) => Promise<string>

/**
 * The authentication library on the server's database. Only its functions are used: its own HTTP routes are not
 * mounted, so that every response of the API has one form and only intended routes are reachable.
 */
export function makeLogin(options: LoginOptions) {
  return betterAuth(loginOptionsOf(options))
}
export type Login = ReturnType<typeof makeLogin>

export function loginOptionsOf(options: LoginOptions) {
  return {
    database: { db: options.open.database, type: options.open.kind, transaction: true },
    secret: options.secret,
    baseURL: options.isSecure ? 'https://app.invalid' : 'http://app.invalid',
    emailAndPassword: {
      enabled: true,
      minPasswordLength: 12,
      maxPasswordLength: 128,
      autoSignIn: true,
      ...(options.hashPassword && { password: { hash: options.hashPassword } }),
    },
    user: { modelName: 'users' },
    session: { modelName: 'sessions', expiresIn: sessionSeconds, updateAge: 24 * 3600 },
    account: { modelName: 'accounts' },
    verification: { modelName: 'verifications' },
    telemetry: { enabled: false },
    logger: {
      log: (level, message) => options.logger[level === 'error' ? 'error' : 'debug']({ message }, 'login library'),
    },
    advanced: {
      disableOriginCheck: true,
      useSecureCookies: false,
      database: { generateId: () => options.system.newId('user') },
      cookies: {
        session_token: {
          name: sessionCookieName(options),
          attributes: { secure: options.isSecure, httpOnly: true, sameSite: 'lax', path: '/' },
        },
      },
    },
  } satisfies BetterAuthOptions
}

/**
 * Cookies ignore ports, so the name contains the installation. `__Host-` makes a browser reject the cookie from any
 * other name of the domain, where previews run; it needs TLS. Over plain http (localhost) some browsers drop Secure
 * cookies, so there the name has no prefix: a preview could then plant a cookie of this name, which the signature makes
 * useless, and never read the app's cookie, because that isn't set for the whole domain.
 */
export function sessionCookieName(options: { installation: string; isSecure: boolean }): string {
  return `${options.isSecure ? '__Host-' : ''}threadbox-${options.installation}`
}

/** A `Set-Cookie` value that sets the session cookie to a value that it had before. */
export function sessionCookie(options: { name: string; value: string; isSecure: boolean }): string {
  const attributes = `Max-Age=${sessionSeconds}; Path=/; HttpOnly; SameSite=Lax${options.isSecure ? '; Secure' : ''}`
  return `${options.name}=${options.value}; ${attributes}`
}
