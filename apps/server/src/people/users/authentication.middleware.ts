import { type Action, lackOf, type Sender } from '@threadbox/domain'
import { createMiddleware } from 'hono/factory'
import { setActingCaller } from '../../platform/http/acting-request.ts'
import type { ApiEnv, Authorize } from '../../platform/http/api.ts'
import type { Caller } from '../../platform/http/caller.ts'
import {
  cookieCount,
  cookieValues,
  isSigned,
  withHighPriority,
  withOnlyCookie,
} from '../../platform/http/cookies.logic.ts'
import { cookieCountHeader, ordinaryHeaderBytes } from '../../platform/http/large-headers.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import type { ApiKeys } from './api-keys.usecases.ts'
import { type Login, sessionCookieName } from './login.ts'
import {
  authRequired,
  confirmationRequired,
  keyOutsideWorkspaces,
  scopeMissing,
  sessionRequired,
} from './users.errors.ts'
import type { UserStore } from './users.store.ts'

/**
 * Identifies the caller: by API key when one is sent, otherwise by the session cookie. Unknown, expired and malformed
 * credentials get the same error.
 */
export type AuthenticationOptions = {
  login: Login
  apiKeys: ApiKeys
  store: Pick<UserStore, 'confirmedAt'>
  now: () => number
  /** Throws `quota.requests-used-up`. */
  countRequest: (caller: Caller) => Promise<void>
  cookieName: string
}

export function authenticationOf(
  parts: Omit<AuthenticationOptions, 'cookieName'> & { hosts: AllowedHosts },
): AuthenticationOptions {
  const { hosts, ...others } = parts
  const isSecure = hosts.publicUrl.startsWith('https:')
  return { ...others, cookieName: sessionCookieName({ installation: hosts.installation, isSecure }) }
}

/** Only the installation signs cookies, so more signed ones are not accidental. Each one costs a database query. */
const maxCandidates = 8

/** The caller and, for a session, the response headers of the authentication library. */
export type Authenticated = {
  caller: Caller
  authorize: Authorize
  login: { headers: Headers; answered: Headers } | undefined
}

export async function authenticateHeaders(options: AuthenticationOptions, headers: Headers): Promise<Authenticated> {
  const authorization = headers.get('authorization')
  if (authorization !== null) {
    const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]
    if (secret === undefined) throw authRequired({})
    const { userId, apiKeyId, scopes, workspaceIds } = await options.apiKeys.authenticate(secret)
    const isLimited = workspaceIds !== null
    const authorize: Authorize = (action) => authorizeKey(options, { apiKeyId, sender: { scopes, isLimited }, action })
    return { caller: { userId, sessionId: null, apiKeyId, workspaceIds }, authorize, login: undefined }
  }
  const current = await findLogin(options, headers)
  if (current === undefined) throw authRequired({})
  const { id: sessionId, createdAt } = current.session
  const authorize: Authorize = (action) => authorizeSession(options, { sessionId, createdAt, action })
  const caller = { userId: current.user.id, sessionId, apiKeyId: null, workspaceIds: null }
  return { caller, authorize, login: current }
}

export function authenticate(options: AuthenticationOptions) {
  return createMiddleware<ApiEnv>(async (context, next) => {
    const { caller, authorize, login } = await authenticateHeaders(options, context.req.raw.headers)
    context.set('caller', caller)
    setActingCaller(caller)
    if (!isEventStream(context.req)) await options.countRequest(caller)
    context.set('authorize', authorize)
    if (login !== undefined) {
      // The authentication library records the address in this header.
      login.headers.set('x-forwarded-for', context.get('clientAddress'))
      context.set('loginHeaders', login.headers)
    }
    await next()
    for (const cookie of login?.answered.getSetCookie() ?? []) {
      context.header('set-cookie', withHighPriority(cookie), { append: true })
    }
    const cookies = context.req.raw.headers.get('cookie') ?? ''
    if (cookies.length > ordinaryHeaderBytes) context.header(cookieCountHeader, String(cookieCount(cookies)))
  })
}

/** The app opens these again and again while its connection is bad. */
const eventStreams = /^\/api\/v1\/(?:threads\/[^/]+\/)?events$/

function isEventStream({ method, path }: { method: string; path: string }): boolean {
  return method === 'GET' && eventStreams.test(path)
}

/** Finds the session among the cookies of its name, and returns headers that contain only its cookie. */
async function findLogin({ login, cookieName }: AuthenticationOptions, headers: Headers) {
  const cookie = headers.get('cookie') ?? ''
  const { secret } = await login.$context
  const signed = cookieValues(cookie, cookieName).filter((value) => isSigned(secret, value))
  for (const value of signed.slice(0, maxCandidates)) {
    const own = new Headers(headers)
    own.set('cookie', withOnlyCookie(cookie, { name: cookieName, value }))
    const { response, headers: answered } = await login.api.getSession({ headers: own, returnHeaders: true })
    if (response !== null) return { ...response, headers: own, answered }
  }
  return undefined
}

/** A refused call is counted before the refusal is sent, so that the key’s owner sees what a program lacks. */
async function authorizeKey(
  { apiKeys, now }: AuthenticationOptions,
  { apiKeyId, sender, action }: { apiKeyId: string; sender: Sender; action: Action },
): Promise<void> {
  const lack = lackOf(sender, action, now())
  if (lack === undefined) return
  if (lack.kind === 'place') throw keyOutsideWorkspaces({})
  await apiKeys.recordRefusal(apiKeyId, action)
  throw lack.kind === 'scope' ? scopeMissing({ scope: lack.scope, action }) : sessionRequired({})
}

async function authorizeSession(
  { store, now }: AuthenticationOptions,
  { sessionId, createdAt, action }: { sessionId: string; createdAt: Date; action: Action },
): Promise<void> {
  const isAllowed = (confirmedAt: number) => lackOf({ confirmedAt }, action, now()) === undefined
  if (isAllowed(new Date(createdAt).getTime())) return
  const confirmedAt = await store.confirmedAt(sessionId)
  if (confirmedAt === null || !isAllowed(confirmedAt)) throw confirmationRequired({})
}
