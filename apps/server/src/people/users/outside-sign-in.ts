import { isUniqueViolation } from '../../platform/database/database.ts'
import type { Login } from './login.ts'
import type { StartSession } from './session-start.ts'
import { emailTaken } from './users.errors.ts'
import type { UserStore } from './users.store.ts'

/** Accounts and sessions of people who have proven who they are in another way than with a password. */
export type OutsideSignIn = {
  /** The person with this address, if there is one. */
  personWith(email: string): Promise<{ id: string } | undefined>
  /** Creates an account without a password. Throws `auth.email-taken`. */
  addPerson(account: { name: string; email: string; isVerified: boolean }): Promise<string>
  signIn: StartSession
  hasPassword(userId: string): Promise<boolean>
  endSessions(sessionIds: readonly string[]): Promise<void>
}

export function makeOutsideSignIn(options: {
  login: Login
  store: UserStore
  startSession: StartSession
}): OutsideSignIn {
  const { login, store, startSession } = options
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
    signIn: startSession,
    hasPassword: async (userId) => (await store.passwordHashOf(userId)) !== undefined,
    endSessions: (sessionIds) => store.endTheseSessions(sessionIds),
  }
}
