import type { Logger } from '@threadbox/telemetry'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import type { OpenDatabase } from '../../platform/database/database.ts'
import type { System } from '../../platform/system/system.ts'

/** How long a login lasts without being used. */
const sessionSeconds = 30 * 24 * 3600

export type LoginOptions = {
  open: OpenDatabase
  system: System
  secret: string
  installation: string
  /** True when people reach the app over TLS. */
  isSecure: boolean
  logger: Logger
  /** How a password is hashed; without it the library's own way (scrypt). */
  hashPassword?: HashPassword
}

export type HashPassword = (password: string) => Promise<string>

/**
 * The login library, on our database. It is used as a library only: its own HTTP routes are not mounted, so that every
 * answer of the API has one shape and nothing is reachable that we did not mean to offer.
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
 * Cookies ignore ports, so the name carries the installation. `__Host-` makes a browser refuse the cookie from any
 * other name of the domain, where previews live; it needs TLS. Over plain http (localhost) some browsers drop Secure
 * cookies, so there the name is without the prefix: a preview could then plant a cookie of this name, which the
 * signature makes useless, and never read ours, because it is not set for the whole domain.
 */
export function sessionCookieName(options: { installation: string; isSecure: boolean }): string {
  return `${options.isSecure ? '__Host-' : ''}threadbox-${options.installation}`
}
