import { createHmac } from 'node:crypto'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { Devices } from './device-cookie.ts'
import { type Login, sessionCookie } from './login.ts'
import { accountDisabled, authRequired, emailTaken } from './users.errors.ts'
import type { UserStore } from './users.store.ts'
import type { RequestOrigin } from './users.usecases.ts'

/** Accounts and sessions of people who have proven who they are in another way than with a password. */
export type OutsideSignIn = {
  /** The person with this address, if there is one. */
  personWith(email: string): Promise<{ id: string } | undefined>
  /** Creates an account without a password. Throws `auth.email-taken`. */
  addPerson(account: { name: string; email: string; isVerified: boolean }): Promise<string>
  /** Always creates a new session, whatever the browser had before. Throws `auth.account-disabled`. */
  signIn(userId: string, origin: RequestOrigin): Promise<{ sessionId: string; setCookies: string[] }>
  hasPassword(userId: string): Promise<boolean>
  endSessions(sessionIds: readonly string[]): Promise<void>
}

export function makeOutsideSignIn(options: {
  login: Login
  store: UserStore
  devices: Devices
  cookie: { name: string; isSecure: boolean }
}): OutsideSignIn {
  const { login, store, devices, cookie } = options
  const requireEnabled = async (userId: string) => {
    const person = await store.person(userId)
    if (person === undefined) throw authRequired({})
    if (person.disabledAt !== null) throw accountDisabled({})
    return person
  }
  return {
    personWith: (email) => store.findByEmail(email),
    addPerson: async ({ name, email, isVerified }) => {
      if ((await store.findByEmail(email)) !== undefined) throw emailTaken({})
      const { internalAdapter } = await login.$context
      const account = { name, email, emailVerified: isVerified }
      const user = await internalAdapter.createUser(account, { method: 'sso-oidc' }).catch((error: unknown) => {
        throw isUniqueViolation(error) ? emailTaken({}, { cause: error }) : error
      })
      return user.id
    },
    signIn: async (userId, { headers, address }) => {
      const { email } = await requireEnabled(userId)
      const { internalAdapter, secret } = await login.$context
      const from = { ipAddress: address, userAgent: headers.get('user-agent') ?? '' }
      const { id, token } = await internalAdapter.createSession(userId, false, from)
      // Disabled in the meantime: the sessions that existed have ended, this one has not.
      await requireEnabled(userId).catch(async (error: unknown) => {
        await store.endSession(userId, id)
        throw error
      })
      // As the authentication library signs it.
      const signature = createHmac('sha256', secret).update(token).digest('base64')
      const value = encodeURIComponent(`${token}.${signature}`)
      return { sessionId: id, setCookies: [sessionCookie({ ...cookie, value }), devices.cookieFor(email)] }
    },
    hasPassword: async (userId) => (await store.passwordHashOf(userId)) !== undefined,
    endSessions: (sessionIds) => store.endTheseSessions(sessionIds),
  }
}
