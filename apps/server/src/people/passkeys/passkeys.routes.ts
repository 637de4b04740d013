import { z } from '@hono/zod-openapi'
import {
  addPasskeySchema,
  meSchema,
  newPasskeyRequestSchema,
  passkeyRequestSchema,
  passkeySchema,
  passkeySignInSchema,
  passkeysSchema,
  renamePasskeySchema,
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
import type { AllowedHosts } from '../../platform/http/origins.ts'
import { addCookies, originOf } from '../users/users.routes.ts'
import type { PasskeyOrigin, Passkeys } from './passkeys.usecases.ts'
import { relyingPartyOf } from './relying-party.logic.ts'

const tags = ['passkeys']
const passkeyParams = z.object({ passkeyId: idParam })

const signInRequestRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/passkey/request',
  tags,
  summary: 'Get what a browser needs to sign in with a passkey',
  responses: { 200: jsonAnswer(passkeyRequestSchema, 'Sets a cookie: only this browser can use it.') },
})
const signInRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/passkey',
  tags,
  summary: 'Sign in with a passkey',
  request: { body: jsonBody(passkeySignInSchema) },
  responses: { 200: jsonAnswer(meSchema, 'Signed in. Sets the session cookie.') },
})
const confirmRequestRoute = defineRoute({
  action: 'account.confirm',
  method: 'post',
  path: '/auth/confirm/request',
  tags,
  summary: 'Get what a browser needs to confirm with a passkey',
  responses: { 200: jsonAnswer(passkeyRequestSchema, 'Sets a cookie: only this browser can use it.') },
})
const listRoute = defineRoute({
  action: 'passkeys.list',
  method: 'get',
  path: '/passkeys',
  tags,
  summary: 'List your passkeys',
  responses: { 200: jsonAnswer(passkeysSchema, 'The passkeys, the oldest first.') },
})
const addRequestRoute = defineRoute({
  action: 'passkeys.manage',
  method: 'post',
  path: '/passkeys/request',
  tags,
  summary: 'Get what a browser needs to make a passkey',
  responses: { 200: jsonAnswer(newPasskeyRequestSchema, 'Sets a cookie: only this browser can use it.') },
})
const addRoute = defineRoute({
  action: 'passkeys.manage',
  method: 'post',
  path: '/passkeys',
  tags,
  summary: 'Add a passkey',
  request: { body: jsonBody(addPasskeySchema) },
  responses: { 201: jsonAnswer(passkeySchema, 'The passkey.') },
})
const renameRoute = defineRoute({
  action: 'account.manage',
  method: 'patch',
  path: '/passkeys/{passkeyId}',
  tags,
  summary: 'Rename a passkey',
  request: { params: passkeyParams, body: jsonBody(renamePasskeySchema) },
  responses: { 200: jsonAnswer(passkeySchema, 'The passkey.') },
})
const removeRoute = defineRoute({
  action: 'passkeys.manage',
  method: 'delete',
  path: '/passkeys/{passkeyId}',
  tags,
  summary: 'Remove a passkey. Sessions that were started with it stay',
  request: { params: passkeyParams },
  responses: { 204: { description: 'Removed.' } },
})

/** Where passkeys of this request’s host are valid. Throws `passkey.host-unsuitable`. */
type PartyOf = (context: ApiContext) => PasskeyOrigin

export function passkeyOriginOf(hosts: AllowedHosts): PartyOf {
  return (context) => {
    const hostHeader = context.req.header('host') ?? new URL(context.req.url).host
    return { ...originOf(context), party: relyingPartyOf(hostHeader, hosts) }
  }
}

/** Routes that need no sign-in. */
export function passkeySignInRoutes({ passkeys, hosts }: { passkeys: Passkeys; hosts: AllowedHosts }): Api {
  const api = makeApi()
  const passkeyOrigin = passkeyOriginOf(hosts)
  api.openapi(signInRequestRoute, async (context) => {
    const { request, setCookie } = await passkeys.signInRequest(passkeyOrigin(context))
    addCookies(context, [setCookie])
    return context.json(request, 200)
  })
  api.openapi(signInRoute, async (context) => {
    const { assertion } = context.req.valid('json')
    const { me, setCookies } = await passkeys.signIn(assertion, passkeyOrigin(context))
    addCookies(context, setCookies)
    return context.json(me, 200)
  })
  return api
}

export function passkeyRoutes({ passkeys, hosts }: { passkeys: Passkeys; hosts: AllowedHosts }): Api {
  const api = makeApi()
  const passkeyOrigin = passkeyOriginOf(hosts)
  const caller = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId
  api.openapi(confirmRequestRoute, async (context) => {
    const { request, setCookie } = await passkeys.confirmRequest(caller(context), passkeyOrigin(context))
    addCookies(context, [setCookie])
    return context.json(request, 200)
  })
  api.openapi(listRoute, async (context) => context.json(await passkeys.list(caller(context)), 200))
  api.openapi(addRequestRoute, async (context) => {
    const { request, setCookie } = await passkeys.addRequest(caller(context), passkeyOrigin(context))
    addCookies(context, [setCookie])
    return context.json(request, 200)
  })
  api.openapi(addRoute, async (context) => {
    const passkey = await passkeys.add(caller(context), context.req.valid('json'), passkeyOrigin(context))
    return context.json(passkey, 201)
  })
  api.openapi(renameRoute, async (context) => {
    const { passkeyId } = context.req.valid('param')
    return context.json(await passkeys.rename(caller(context), passkeyId, context.req.valid('json').name), 200)
  })
  api.openapi(removeRoute, async (context) => {
    await passkeys.remove(caller(context), context.req.valid('param').passkeyId)
    return context.body(null, 204)
  })
  return api
}
