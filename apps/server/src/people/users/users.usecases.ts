import type { PersonRole } from '@threadbox/domain'
import { isErrorOf } from '@threadbox/errors'
import type { ChangePassword, Me, Session, SignIn, SignUp } from '@threadbox/protocol/public'
import { isUniqueViolation } from '../../platform/database/database.ts'
import { networkOf } from '../../platform/http/client-address.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import type { Attempt, AttemptLimit } from './attempt-limit.ts'
import type { Devices } from './device-cookie.ts'
import type { Login } from './login.ts'
import type { OwnerToken } from './owner-token.ts'
import type { LacksPasskey } from './people.usecases.ts'
import {
  accountDisabled,
  authRequired,
  credentialsWrong,
  emailTaken,
  ownerTokenWrong,
  passkeyRequired,
  passwordWrong,
  sessionNotFound,
  signUpClosed,
} from './users.errors.ts'
import type { UserStore } from './users.store.ts'

export type LoggedIn = { me: Me; setCookies: string[] }

export type Users = {
  ownerExists(): Promise<boolean>
  /** Whether this is the owner or an admin. Throws `auth.passkey-required` if they need a passkey and have none. */
  administers(userId: string): Promise<boolean>
  /** The same, but false in that case. */
  mayAdminister(userId: string): Promise<boolean>
  isDisabled(userId: string): Promise<boolean>
  me(userId: string): Promise<Me>
  /** Everyone, by name. */
  names(): Promise<{ id: string; name: string }[]>
  /** Creates an account and signs it in. Throws `auth.email-taken`. */
  addPerson(
    account: { name: string; email: string; password: string },
    origin: RequestOrigin,
  ): Promise<{ userId: string; setCookies: string[] }>
  /** Signs the person in here and out everywhere else. Throws `auth.account-disabled`. */
  setPassword(userId: string, password: string, origin: RequestOrigin): Promise<string[]>
  rename(userId: string, name: string): Promise<Me>
  /** Signs up the first user, with the token that the installation printed. Any further sign-up is refused. */
  signUp(request: SignUp, origin: RequestOrigin): Promise<LoggedIn>
  signIn(request: SignIn, origin: RequestOrigin): Promise<LoggedIn>
  signOut(headers: Headers, session: { userId: string; sessionId: string }): Promise<string[]>
  /** Checks the password again. Throws `auth.password-wrong`, `auth.too-many-attempts`. */
  confirm(password: string, caller: { userId: string; sessionId: string; headers: Headers }): Promise<void>
  /** Makes the session count as confirmed. `by`: how its person was checked. */
  markConfirmed(session: { userId: string; sessionId: string }, by: 'password' | 'passkey' | 'provider'): Promise<void>
  /** Ends every other session of the user. */
  changePassword(request: ChangePassword, caller: { userId: string; headers: Headers }): Promise<string[]>
  sessions(userId: string, currentSessionId: string | null): Promise<Session[]>
  endSession(userId: string, sessionId: string): Promise<void>
}
/** The origin of a request to sign in or up: attempts are limited by the network of `address`. */
export type RequestOrigin = { headers: Headers; address: string }

/**
 * Failed attempts in a window. A network can be a whole office, so it has three accounts' worth. Signing up, which needs
 * the owner's token, and confirming a password are limited like an account.
 */
const limits = { account: 10, network: 30 }

export type UsersDependencies = {
  login: Login
  store: UserStore
  ownerToken: OwnerToken
  attempts: AttemptLimit
  devices: Devices
  roleOf: (userId: string) => Promise<PersonRole>
  lacksPasskey: LacksPasskey
  hashPassword: (password: string) => Promise<string>
  /** Takes the same time whether the account exists or not. */
  isRightPassword: (attempt: { email: string; password: string }) => Promise<boolean>
  audit: Audit
  system: System
}

export function makeUsers(dependencies: UsersDependencies): Users {
  const { store, audit } = dependencies
  const me = async (userId: string) => {
    const user = await store.find(userId)
    if (user === undefined) throw authRequired({})
    const role = await dependencies.roleOf(userId)
    const needsPasskey = await dependencies.lacksPasskey(userId, role)
    return { id: user.id, name: user.name, email: user.email, isOwner: role === 'owner', role, needsPasskey }
  }
  const markConfirmed: Users['markConfirmed'] = async ({ userId, sessionId }, by) => {
    await store.confirm(sessionId, dependencies.system.now())
    await audit.record({ userId, action: 'confirmed', subject: sessionId, details: { by } })
  }
  return {
    ownerExists: async () => (await store.ownerId()) !== undefined,
    administers: async (userId) => {
      const role = await dependencies.roleOf(userId)
      if (await dependencies.lacksPasskey(userId, role)) throw passkeyRequired({})
      return role !== 'member'
    },
    mayAdminister: async (userId) => {
      const role = await dependencies.roleOf(userId)
      return role !== 'member' && !(await dependencies.lacksPasskey(userId, role))
    },
    me,
    isDisabled: async (userId) => (await store.person(userId))?.disabledAt != null,
    names: async () => (await store.people()).map(({ id, name }) => ({ id, name })),
    addPerson: (account, origin) => addPerson(dependencies, account, origin),
    setPassword: async (userId, password, origin) => {
      const person = await store.person(userId)
      if (person === undefined) throw authRequired({})
      if (person.disabledAt !== null) throw accountDisabled({})
      await putPassword(dependencies, userId, await dependencies.hashPassword(password))
      await store.endSessions(userId)
      const { setCookies } = await logIn(dependencies, { email: person.email, password }, origin)
      return setCookies
    },
    rename: async (userId, name) => {
      await store.renameUser(userId, name.trim())
      return await me(userId)
    },
    signUp: (request, origin) => signUp(dependencies, { request, origin, me }),
    signIn: (request, origin) => signIn(dependencies, { request, origin, me }),
    signOut: async (headers, { userId, sessionId }) => {
      const result = await dependencies.login.api.signOut({ headers, returnHeaders: true })
      await audit.record({ userId, action: 'logged-out', subject: sessionId })
      return result.headers.getSetCookie()
    },
    markConfirmed,
    confirm: async (password, { userId, sessionId, headers }) => {
      await dependencies.attempts.take(`password ${userId}`, limits.account)
      await dependencies.login.api.verifyPassword({ body: { password }, headers }).catch(async (error: unknown) => {
        if (!isRefusal(error)) throw error
        await audit.record({ userId, action: 'confirmation-refused', subject: sessionId })
        throw passwordWrong({}, { cause: error })
      })
      await dependencies.attempts.clear(`password ${userId}`)
      await markConfirmed({ userId, sessionId }, 'password')
    },
    changePassword: async (request, caller) => {
      await dependencies.attempts.take(`password ${caller.userId}`, limits.account)
      const result = await dependencies.login.api
        .changePassword({
          body: { ...request, revokeOtherSessions: true },
          headers: caller.headers,
          returnHeaders: true,
        })
        .catch(async (error: unknown) => {
          if (!isRefusal(error)) throw error
          await audit.record({ userId: caller.userId, action: 'password-change-refused', subject: caller.userId })
          throw credentialsWrong({}, { cause: error })
        })
      await dependencies.attempts.clear(`password ${caller.userId}`)
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

/** A person who joined with a provider has no password yet. */
async function putPassword({ login, store }: UsersDependencies, userId: string, hash: string): Promise<void> {
  if ((await store.passwordHashOf(userId)) !== undefined) return await store.setPasswordHash(userId, hash)
  const { internalAdapter } = await login.$context
  await internalAdapter.createAccount({ userId, accountId: userId, providerId: 'credential', password: hash })
}

type Work<Request> = { request: Request; origin: RequestOrigin; me: (userId: string) => Promise<Me> }

async function signUp(dependencies: UsersDependencies, work: Work<SignUp>): Promise<LoggedIn> {
  const { store, ownerToken, attempts, audit, system } = dependencies
  const { request, origin } = work
  const attempt = await attempts.take(`sign-up ${networkOf(origin.address)}`, limits.account)
  if ((await store.ownerId()) !== undefined) throw signUpClosed({})
  if (!(await ownerToken.matches(request.token))) throw ownerTokenWrong({})
  const { userId, setCookies } = await addPerson(dependencies, request, origin)
  // Two concurrent sign-ups can get this far: the primary key of the owner's row lets one of them through.
  await store.claimOwner(userId, system.now()).catch(async (error: unknown) => {
    await store.erase(userId)
    throw isUniqueViolation(error) ? signUpClosed({}) : error
  })
  await ownerToken.consume()
  await attempts.giveBack(attempt)
  await audit.record({ userId, action: 'owner-signed-up', subject: userId })
  return { me: await work.me(userId), setCookies }
}

/** Creates an account and signs it in. The cookie of the device comes with that of the session. */
async function addPerson(
  { login, devices }: UsersDependencies,
  account: { name: string; email: string; password: string },
  origin: RequestOrigin,
): Promise<{ userId: string; setCookies: string[] }> {
  const { name, email, password } = account
  const result = await login.api
    .signUpEmail({ body: { name: name.trim(), email, password }, headers: origin.headers, returnHeaders: true })
    .catch((error: unknown) => {
      throw isRefusal(error) ? emailTaken({}, { cause: error }) : error
    })
  const setCookies = [...result.headers.getSetCookie(), devices.cookieFor(email)]
  return { userId: result.response.user.id, setCookies }
}

async function signIn(dependencies: UsersDependencies, work: Work<SignIn>): Promise<LoggedIn> {
  const { audit } = dependencies
  const { request, origin } = work
  const counted = await countSignIn(dependencies, work)
  if (!(await dependencies.isRightPassword(request))) {
    await audit.record({ userId: null, action: 'login-refused', subject: null })
    throw credentialsWrong({})
  }
  // Only with the right password: whether an account is disabled is its person’s to know.
  if (await dependencies.store.isDisabled(request.email)) throw accountDisabled({})
  const { userId, setCookies } = await logIn(dependencies, request, origin).catch(async (error: unknown) => {
    if (isErrorOf(credentialsWrong, error)) await audit.record({ userId: null, action: 'login-refused', subject: null })
    throw error
  })
  await counted.succeeded()
  await audit.record({ userId, action: 'logged-in', subject: userId })
  return { me: await work.me(userId), setCookies }
}

/** Throws `auth.credentials-wrong`. */
async function logIn(
  { login, devices }: UsersDependencies,
  { email, password }: SignIn,
  origin: RequestOrigin,
): Promise<{ userId: string; setCookies: string[] }> {
  const result = await login.api
    .signInEmail({ body: { email, password }, headers: origin.headers, returnHeaders: true })
    .catch((error: unknown) => {
      throw isRefusal(error) ? credentialsWrong({}, { cause: error }) : error
    })
  const setCookies = [...result.headers.getSetCookie(), devices.cookieFor(email)]
  return { userId: result.response.user.id, setCookies }
}

/**
 * Counts an attempt to sign in. A known device has a count of its own: guesses from elsewhere don't lock it out. All
 * others count for their network and for the account. A success resets the device's or the account's count, but the
 * network's only by this attempt, so signing in to one account doesn't allow more guesses at others.
 */
async function countSignIn(
  { attempts, devices }: UsersDependencies,
  { request, origin }: Work<SignIn>,
): Promise<{ succeeded(): Promise<void> }> {
  const device = devices.deviceOf(request.email, origin.headers.get('cookie'))
  if (device !== undefined) {
    const key = `device ${device}`
    await attempts.take(key, limits.account)
    return { succeeded: () => attempts.clear(key) }
  }
  // The network first: one that is over its limit can't use up the account's attempts.
  const network: Attempt = await attempts.take(`address ${networkOf(origin.address)}`, limits.network)
  const account = `email ${request.email.toLowerCase()}`
  await attempts.take(account, limits.account)
  return {
    succeeded: async () => {
      await attempts.giveBack(network)
      await attempts.clear(account)
    },
  }
}

/** Returns whether the authentication library refused, in contrast to a failure. */
function isRefusal(error: unknown): boolean {
  const statusCode = (error as { statusCode?: unknown } | null)?.statusCode
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 500
}
