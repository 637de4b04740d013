import { createMiddleware } from 'hono/factory'
import type { ApiEnv } from '../http/api.ts'
import type { ApiKeys } from './api-keys.usecases.ts'
import type { Login } from './login.ts'
import { authRequired } from './users.errors.ts'

/**
 * Says who calls: by API key when one is sent, else by the session cookie. An unknown, an expired and a malformed credential are refused alike.
 */
export type AuthenticationOptions = { login: Login; apiKeys: ApiKeys }

export function authenticate(options: AuthenticationOptions) {
  return createMiddleware<ApiEnv>(async (context, next) => {
    const authorization = context.req.header('authorization')
    if (authorization !== undefined) {
      const secret = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]
      if (secret === undefined) throw authRequired({})
      const { userId, apiKeyId } = await options.apiKeys.authenticate(secret)
      context.set('caller', { userId, sessionId: null, apiKeyId })
      return await next()
    }
    const found = await options.login.api.getSession({ headers: context.req.raw.headers, returnHeaders: true })
    if (found.response === null) throw authRequired({})
    context.set('caller', { userId: found.response.user.id, sessionId: found.response.session.id, apiKeyId: null })
    await next()
    for (const cookie of found.headers.getSetCookie()) context.header('set-cookie', cookie, { append: true })
  })
}
