import { createMiddleware } from 'hono/factory'
import type { ApiEnv, Caller } from '../../platform/http/api.ts'
import { cookieValues, withOnlyCookie } from '../../platform/http/cookies.models.ts'
import type { AllowedHosts } from '../../platform/http/origins.ts'
import type { ApiKeys } from './api-keys.usecases.ts'
import { type Login, sessionCookieName } from './login.ts'
import { authRequired } from './users.errors.ts'

/**
 * Says who calls: by API key when one is sent, else by the session cookie. An unknown, an expired and a malformed credential are refused alike.
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

/** More than a few of one name are no accident, and each costs a look. */
const maxCandidates = 8

/** Who calls, and what the login library answered to a login. Throws `auth.required`. */
export type Authenticated = { caller: Caller; login: { headers: Headers; answered: Headers } | undefined }

export async function authenticateHeaders(options: AuthenticationOptions, headers: Headers): Promise<Authenticated> {
  const authorization = headers.get('authorization')
  if (authorization !== null) {
    const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]
    if (secret === undefined) throw authRequired({})
    const { userId, apiKeyId } = await options.apiKeys.authenticate(secret)
    return { caller: { userId, sessionId: null, apiKeyId }, login: undefined }
  }
  const found = await findLogin(options, headers)
  if (found === undefined) throw authRequired({})
  return { caller: { userId: found.user.id, sessionId: found.session.id, apiKeyId: null }, login: found }
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

/** The login among the cookies of its name, with headers that hold no other one. */
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
