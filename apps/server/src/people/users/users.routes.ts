import { z } from '@hono/zod-openapi'
import {
  apiKeySchema,
  changePasswordSchema,
  clearedCookiesSchema,
  confirmSchema,
  createApiKeySchema,
  createdApiKeySchema,
  meSchema,
  type PasskeyAssertion,
  restoreCookiesSchema,
  sessionSchema,
  signInSchema,
  signUpSchema,
  updateMeSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  type ApiContext,
  defineRoute,
  idParam,
  jsonAnswer,
  jsonBody,
  makeApi,
} from '../../platform/http/api.ts'
import { withHighPriority } from '../../platform/http/cookies.logic.ts'
import type { ApiKeys } from './api-keys.usecases.ts'
import type { KeptCookies } from './kept-cookies.ts'
import { sessionRequired } from './users.errors.ts'
import type { RequestOrigin, Users } from './users.usecases.ts'

const tags = ['account']
const done = { 204: { description: 'Done.' } }

const signUpRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/sign-up',
  tags,
  summary: 'Sign up as the owner with the one-time token printed by `up`',
  request: { body: jsonBody(signUpSchema) },
  responses: { 201: jsonAnswer(meSchema, 'Signed up and signed in.') },
})
const signInRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/sign-in',
  tags,
  summary: 'Sign in',
  request: { body: jsonBody(signInSchema) },
  responses: { 200: jsonAnswer(meSchema, 'Signed in. Sets the session cookie.') },
})
const signOutRoute = defineRoute({
  action: 'account.manage',
  method: 'post',
  path: '/auth/sign-out',
  tags,
  summary: 'Sign out',
  responses: done,
})
const clearCookiesRoute = defineRoute({
  action: 'account.manage',
  method: 'post',
  path: '/auth/cookies/clear',
  tags,
  summary: 'Remove all cookies of the site from this browser, also those that pages of previews left',
  responses: {
    200: jsonAnswer(clearedCookiesSchema, 'The browser removes them. With the token it gets its session back.'),
  },
})
const restoreCookiesRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/cookies/restore',
  tags,
  summary: 'Give the browser its session back after its cookies were cleared. The token works once, for a minute',
  request: { body: jsonBody(restoreCookiesSchema) },
  responses: done,
})
const passwordRoute = defineRoute({
  action: 'account.manage',
  method: 'post',
  path: '/auth/password',
  tags,
  summary: 'Change the password and sign out all other sessions',
  request: { body: jsonBody(changePasswordSchema) },
  responses: done,
})
const confirmRoute = defineRoute({
  action: 'account.confirm',
  method: 'post',
  path: '/auth/confirm',
  tags,
  summary: 'Confirm with the password or a passkey. It counts for 10 minutes, like signing in',
  request: { body: jsonBody(confirmSchema) },
  responses: done,
})
const sessionsRoute = defineRoute({
  action: 'account.manage',
  method: 'get',
  path: '/auth/sessions',
  tags,
  summary: 'List active sessions',
  responses: { 200: jsonAnswer(z.object({ sessions: z.array(sessionSchema) }), 'The active sessions.') },
})
const endSessionRoute = defineRoute({
  action: 'account.manage',
  method: 'delete',
  path: '/auth/sessions/{sessionId}',
  tags,
  summary: 'Sign out a session',
  request: { params: z.object({ sessionId: idParam }) },
  responses: done,
})
const meRoute = defineRoute({
  action: 'account.read',
  method: 'get',
  path: '/me',
  tags,
  summary: 'Get the current user',
  responses: { 200: jsonAnswer(meSchema, 'The user.') },
})
const updateMeRoute = defineRoute({
  action: 'account.manage',
  method: 'patch',
  path: '/me',
  tags,
  summary: 'Update the current user’s name',
  request: { body: jsonBody(updateMeSchema) },
  responses: { 200: jsonAnswer(meSchema, 'The user.') },
})
const apiKeysRoute = defineRoute({
  action: 'keys.list',
  method: 'get',
  path: '/api-keys',
  tags,
  summary: 'List API keys',
  responses: { 200: jsonAnswer(z.object({ apiKeys: z.array(apiKeySchema) }), 'The keys, without their secrets.') },
})
const createApiKeyRoute = defineRoute({
  action: 'keys.manage',
  method: 'post',
  path: '/api-keys',
  tags,
  summary: 'Create an API key. Its secret is returned only once',
  request: { body: jsonBody(createApiKeySchema) },
  responses: { 201: jsonAnswer(createdApiKeySchema, 'The key with its secret.') },
})
const deleteApiKeyRoute = defineRoute({
  action: 'keys.manage',
  method: 'delete',
  path: '/api-keys/{apiKeyId}',
  tags,
  summary: 'Delete an API key',
  request: { params: z.object({ apiKeyId: idParam }) },
  responses: done,
})

/** Routes that need no sign-in. */
export function signInRoutes({ users, keptCookies }: { users: Users; keptCookies: KeptCookies }): Api {
  const api = makeApi()
  api.openapi(restoreCookiesRoute, (context) => {
    addCookies(context, keptCookies.restore(context.req.valid('json').token))
    return context.body(null, 204)
  })
  api.openapi(signUpRoute, async (context) => {
    const { me, setCookies } = await users.signUp(context.req.valid('json'), originOf(context))
    addCookies(context, setCookies)
    return context.json(me, 201)
  })
  api.openapi(signInRoute, async (context) => {
    const { me, setCookies } = await users.signIn(context.req.valid('json'), originOf(context))
    addCookies(context, setCookies)
    return context.json(me, 200)
  })
  return api
}

/** Confirms with a passkey; set by the feature that knows them. */
export type ConfirmWithPasskey = (
  context: ApiContext,
  confirmation: { assertion: PasskeyAssertion; caller: { userId: string; sessionId: string } },
) => Promise<void>

export function accountRoutes(dependencies: {
  users: Users
  apiKeys: ApiKeys
  keptCookies: KeptCookies
  confirmWithPasskey: ConfirmWithPasskey
}): Api {
  const { users, apiKeys, keptCookies } = dependencies
  const api = makeApi()
  api.openapi(clearCookiesRoute, async (context) => {
    const { userId } = requireSession(context)
    const restoreToken = await keptCookies.keep({ userId, headers: context.get('loginHeaders') })
    context.header('clear-site-data', '"cookies"')
    return context.json({ restoreToken }, 200)
  })
  api.openapi(signOutRoute, async (context) => {
    const session = requireSession(context)
    addCookies(context, await users.signOut(context.get('loginHeaders'), session))
    return context.body(null, 204)
  })
  api.openapi(passwordRoute, async (context) => {
    const { userId } = requireSession(context)
    const caller = { userId, headers: context.get('loginHeaders') }
    addCookies(context, await users.changePassword(context.req.valid('json'), caller))
    return context.body(null, 204)
  })
  api.openapi(confirmRoute, async (context) => {
    const caller = requireSession(context)
    const { password, assertion } = context.req.valid('json')
    if (assertion !== undefined) await dependencies.confirmWithPasskey(context, { assertion, caller })
    else await users.confirm(password ?? '', { ...caller, headers: context.get('loginHeaders') })
    return context.body(null, 204)
  })
  api.openapi(sessionsRoute, async (context) => {
    const { userId, sessionId } = context.get('caller')
    return context.json({ sessions: await users.sessions(userId, sessionId) }, 200)
  })
  api.openapi(endSessionRoute, async (context) => {
    const { userId } = requireSession(context)
    await users.endSession(userId, context.req.valid('param').sessionId)
    return context.body(null, 204)
  })
  api.openapi(meRoute, async (context) => context.json(await users.me(context.get('caller').userId), 200))
  api.openapi(updateMeRoute, async (context) => {
    const { userId } = requireSession(context)
    return context.json(await users.rename(userId, context.req.valid('json').name), 200)
  })
  api.openapi(apiKeysRoute, async (context) => {
    return context.json({ apiKeys: await apiKeys.list(context.get('caller').userId) }, 200)
  })
  api.openapi(createApiKeyRoute, async (context) => {
    const { userId } = requireSession(context)
    return context.json(await apiKeys.create(userId, context.req.valid('json')), 201)
  })
  api.openapi(deleteApiKeyRoute, async (context) => {
    const { userId } = requireSession(context)
    await apiKeys.delete(userId, context.req.valid('param').apiKeyId)
    return context.body(null, 204)
  })
  return api
}

/** Only a session can manage keys and sessions, so that a leaked key can't create another one. */
function requireSession(context: ApiContext): { userId: string; sessionId: string } {
  const { userId, sessionId } = context.get('caller')
  if (sessionId === null) throw sessionRequired({})
  return { userId, sessionId }
}

export function addCookies(context: ApiContext, cookies: readonly string[]): void {
  for (const cookie of cookies) context.header('set-cookie', withHighPriority(cookie), { append: true })
}

/** The authentication library records the address in `X-Forwarded-For`, so it gets ours and never what a client wrote there. */
export function originOf(context: ApiContext): RequestOrigin {
  const headers = new Headers(context.req.raw.headers)
  const address = context.get('clientAddress')
  headers.set('x-forwarded-for', address)
  return { headers, address }
}
