import type { ChangePassword, Confirm, Me, Session, SignIn, SignUp } from '@threadbox/protocol/public'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { AttemptLimit } from './attempt-limit.ts'
import type { Login } from './login.ts'
import type { OwnerToken } from './owner-token.ts'
import {
  authRequired,
  credentialsWrong,
  emailTaken,
  ownerTokenWrong,
  passwordWrong,
  sessionNotFound,
  signUpClosed,
} from './users.errors.ts'
import type { UserStore } from './users.store.ts'

export type LoggedIn = { me: Me; setCookies: string[] }

export type Users = {
  ownerExists(): Promise<boolean>
  isOwner(userId: string): Promise<boolean>
  me(userId: string): Promise<Me>
  rename(userId: string, name: string): Promise<Me>
  /** Signs up the first user, with the token that the installation printed. Any further sign-up is refused. */
  signUp(request: SignUp, origin: RequestOrigin): Promise<LoggedIn>
  signIn(request: SignIn, origin: RequestOrigin): Promise<LoggedIn>
  signOut(headers: Headers): Promise<string[]>
  /** Checks the password again. Throws `auth.password-wrong`, `auth.too-many-attempts`. */
  confirm(request: Confirm, caller: { userId: string; sessionId: string; headers: Headers }): Promise<void>
  /** Ends every other session of the user. */
  changePassword(request: ChangePassword, caller: { userId: string; headers: Headers }): Promise<string[]>
  sessions(userId: string, currentSessionId: string | null): Promise<Session[]>
  endSession(userId: string, sessionId: string): Promise<void>
}
/** The origin of a request to sign in or up: attempts are limited by `address`. */
export type RequestOrigin = { headers: Headers; address: string }

export type UsersDependencies = {
  login: Login
  store: UserStore
  ownerToken: OwnerToken
  attempts: AttemptLimit
  audit: Audit
  system: System
}

export function makeUsers(dependencies: UsersDependencies): Users {
  const { store, audit } = dependencies
  const me = async (userId: string) => {
    const user = await store.find(userId)
    if (user === undefined) throw authRequired({})
    return { id: user.id, name: user.name, email: user.email, isOwner: (await store.ownerId()) === userId }
  }
  return {
    ownerExists: async () => (await store.ownerId()) !== undefined,
    isOwner: async (userId) => (await store.ownerId()) === userId,
    me,
    rename: async (userId, name) => {
      await store.renameUser(userId, name.trim())
      return await me(userId)
    },
    signUp: (request, origin) => signUp(dependencies, { request, origin, me }),
    signIn: (request, origin) => signIn(dependencies, { request, origin, me }),
    signOut: async (headers) => {
      const result = await dependencies.login.api.signOut({ headers, returnHeaders: true })
      return result.headers.getSetCookie()
    },
    confirm: async ({ password }, { userId, sessionId, headers }) => {
      dependencies.attempts.take(`password ${userId}`)
      await dependencies.login.api.verifyPassword({ body: { password }, headers }).catch(async (error: unknown) => {
        if (!isRefusal(error)) throw error
        await audit.record({ userId, action: 'confirmation-refused', subject: sessionId })
        throw passwordWrong({}, { cause: error })
      })
      dependencies.attempts.clear(`password ${userId}`)
      await store.confirm(sessionId, dependencies.system.now())
      await audit.record({ userId, action: 'confirmed', subject: sessionId })
    },
    changePassword: async (request, caller) => {
      dependencies.attempts.take(`password ${caller.userId}`)
      const result = await dependencies.login.api
        .changePassword({
          body: { ...request, revokeOtherSessions: true },
          headers: caller.headers,
          returnHeaders: true,
        })
        .catch((error: unknown) => {
          throw isRefusal(error) ? credentialsWrong({}, { cause: error }) : error
        })
      dependencies.attempts.clear(`password ${caller.userId}`)
      await audit.record({ userId: caller.userId, action: 'password-changed', subject: caller.userId })
      return result.headers.getSetCookie()
    },
    sessions: async (userId, currentSessionId) => {
      const now = dependencies.system.now()
      const sessions = await store.sessions(userId)
      return sessions
        .filter((session) => session.expiresAt > now)
        .map((session) => ({ ...session, isCurrent: session.id === currentSessionId }))
    },
    endSession: async (userId, sessionId) => {
      if (!(await store.endSession(userId, sessionId))) throw sessionNotFound({})
      await audit.record({ userId, action: 'session-ended', subject: sessionId })
    },
  }
}

type Work<Request> = { request: Request; origin: RequestOrigin; me: (userId: string) => Promise<Me> }

async function signUp(dependencies: UsersDependencies, work: Work<SignUp>): Promise<LoggedIn> {
  const { store, ownerToken, attempts, audit, system } = dependencies
  const { request, origin } = work
  attempts.take(`sign-up ${origin.address}`)
  if ((await store.ownerId()) !== undefined) throw signUpClosed({})
  if (!(await ownerToken.matches(request.token))) throw ownerTokenWrong({})
  const result = await dependencies.login.api
    .signUpEmail({
      body: { name: request.name.trim(), email: request.email, password: request.password },
      headers: origin.headers,
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      throw isRefusal(error) ? emailTaken({}, { cause: error }) : error
    })
  const userId = result.response.user.id
  // Two concurrent sign-ups can get this far: the primary key of the owner's row lets one of them through.
  await store.claimOwner(userId, system.now()).catch(async (error: unknown) => {
    await store.erase(userId)
    throw isUniqueViolation(error) ? signUpClosed({}) : error
  })
  await ownerToken.consume()
  attempts.clear(`sign-up ${origin.address}`)
  await audit.record({ userId, action: 'owner-signed-up', subject: userId })
  return { me: await work.me(userId), setCookies: result.headers.getSetCookie() }
}

async function signIn(dependencies: UsersDependencies, work: Work<SignIn>): Promise<LoggedIn> {
  const { attempts, audit } = dependencies
  const { request, origin } = work
  const keys = [`address ${origin.address}`, `email ${request.email.toLowerCase()}`]
  for (const key of keys) attempts.take(key)
  const result = await dependencies.login.api
    .signInEmail({
      body: { email: request.email, password: request.password },
      headers: origin.headers,
      returnHeaders: true,
    })
    .catch(async (error: unknown) => {
      if (!isRefusal(error)) throw error
      await audit.record({ userId: null, action: 'login-refused', subject: null })
      throw credentialsWrong({}, { cause: error })
    })
  for (const key of keys) attempts.clear(key)
  const userId = result.response.user.id
  await audit.record({ userId, action: 'logged-in', subject: userId })
  return { me: await work.me(userId), setCookies: result.headers.getSetCookie() }
}

/** Returns whether the authentication library refused, in contrast to a failure. */
function isRefusal(error: unknown): boolean {
  const statusCode = (error as { statusCode?: unknown } | null)?.statusCode
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}
