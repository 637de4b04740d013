import { createMiddleware } from 'hono/factory'
import type { ApiEnv, Caller } from '../../platform/http/api.ts'
import { cookieValues, withOnlyCookie } from '../../platform/http/cookies.logic.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import type { ApiKeys } from './api-keys.usecases.ts'
import { type Login, sessionCookieName } from './login.ts'
import { authRequired } from './users.errors.ts'

/**
 * Identifies the caller: by API key when one is sent, otherwise by the session cookie. Unknown, expired and malformed
 * credentials get the same error.
 */
export type AuthenticationOptions = { login: Login; apiKeys: ApiKeys; cookieName: string }

export function authenticationOf(parts: {
  login: Login
  apiKeys: ApiKeys
  hosts: AllowedHosts
}): AuthenticationOptions {
  const { login, apiKeys, hosts } = parts
  const isSecure = hosts.publicUrl.startsWith('https:')
  return { login, apiKeys, cookieName: sessionCookieName({ installation: hosts.installation, isSecure }) }
}

/** More cookies of one name are not accidental, and each one costs a database query. */
const maxCandidates = 8

/** The caller and, for a session, the response headers of the authentication library. */
export type Authenticated = { caller: Caller; login: { headers: Headers; answered: Headers } | undefined }

export async function authenticateHeaders(options: AuthenticationOptions, headers: Headers): Promise<Authenticated> {
  const authorization = headers.get('authorization')
  if (authorization !== null) {
    const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]
    if (secret === undefined) throw authRequired({})
    const { userId, apiKeyId } = await options.apiKeys.authenticate(secret)
    return { caller: { userId, sessionId: null, apiKeyId }, login: undefined }
  }
  const current = await findLogin(options, headers)
  if (current === undefined) throw authRequired({})
  return { caller: { userId: current.user.id, sessionId: current.session.id, apiKeyId: null }, login: current }
}

export function authenticate(options: AuthenticationOptions) {
  return createMiddleware<ApiEnv>(async (context, next) => {
    const { caller, login } = await authenticateHeaders(options, context.req.raw.headers)
    context.set('caller', caller)
    if (login !== undefined) context.set('loginHeaders', login.headers)
    await next()
    for (const cookie of login?.answered.getSetCookie() ?? []) context.header('set-cookie', cookie, { append: true })
  })
}

/** Finds the session among the cookies of its name, and returns headers that contain only its cookie. */
async function findLogin({ login, cookieName }: AuthenticationOptions, headers: Headers) {
  const cookie = headers.get('cookie') ?? ''
  for (const value of cookieValues(cookie, cookieName).slice(0, maxCandidates)) {
    const own = new Headers(headers)
    own.set('cookie', withOnlyCookie(cookie, { name: cookieName, value }))
    const { response, headers: answered } = await login.api.getSession({ headers: own, returnHeaders: true })
    if (response !== null) return { ...response, headers: own, answered }
  }
  return undefined
}
