import { z } from '@hono/zod-openapi'
import {
  type ConnectIdentity,
  connectIdentitySchema,
  createSignInProviderSchema,
  identitiesSchema,
  signInButtonsSchema,
  signInProviderSchema,
  signInProvidersSchema,
  startedProviderSignInSchema,
  startProviderSignInSchema,
  testedSignInProviderSchema,
  updateSignInProviderSchema,
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
import { sha256Of } from '../../platform/secrets/sha256.ts'
import { addCookies, originOf } from '../users/users.routes.ts'
import type { OwnIdentities } from './oidc-identities.usecases.ts'
import type { Providers } from './oidc-providers.usecases.ts'
import type { OidcSignIn } from './oidc-sign-in.usecases.ts'

const tags = ['sign-in']
const providerParams = z.object({ providerId: idParam })
const started = jsonAnswer(startedProviderSignInSchema, 'The page of the provider, to open in the same browser.')

const buttonsRoute = defineRoute({
  action: 'account.sign-in',
  method: 'get',
  path: '/auth/providers',
  tags,
  summary: 'List the providers with which people can sign in',
  request: { query: z.object({ problem: z.string().max(100).optional() }) },
  responses: { 200: jsonAnswer(signInButtonsSchema, 'Their names, in the order in which they were added.') },
})
const startRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/providers/start',
  tags,
  summary: 'Start to sign in, or to join with an invite, at a provider',
  request: { body: jsonBody(startProviderSignInSchema) },
  responses: { 200: started },
})
const identitiesRoute = defineRoute({
  action: 'identities.read',
  method: 'get',
  path: '/auth/identities',
  tags,
  summary: 'List the providers that are connected to your account',
  responses: { 200: jsonAnswer(identitiesSchema, 'The accounts at providers, oldest first.') },
})
const connectRoute = defineRoute({
  action: 'identities.manage',
  method: 'post',
  path: '/auth/identities',
  tags,
  summary: 'Start to connect a provider to your account',
  request: { body: jsonBody(connectIdentitySchema) },
  responses: { 200: started },
})
const confirmRoute = defineRoute({
  action: 'account.confirm',
  method: 'post',
  path: '/auth/confirm/provider',
  tags,
  summary: 'Start to confirm, at a connected provider, that it’s you',
  request: { body: jsonBody(connectIdentitySchema) },
  responses: { 200: started },
})
const disconnectRoute = defineRoute({
  action: 'identities.manage',
  method: 'delete',
  path: '/auth/identities/{identityId}',
  tags,
  summary: 'Disconnect a provider from your account, and end the sessions that it started',
  request: { params: z.object({ identityId: idParam }) },
  responses: { 204: { description: 'Disconnected.' } },
})
const listRoute = defineRoute({
  action: 'sign-in.list',
  method: 'get',
  path: '/sign-in-providers',
  tags,
  summary: 'List the providers with their settings (owner only)',
  responses: { 200: jsonAnswer(signInProvidersSchema, 'The providers, without their client secrets.') },
})
const createRoute = defineRoute({
  action: 'sign-in.manage',
  method: 'post',
  path: '/sign-in-providers',
  tags,
  summary: 'Add a provider (owner only). Asks it nothing',
  request: { body: jsonBody(createSignInProviderSchema) },
  responses: { 201: jsonAnswer(signInProviderSchema, 'The provider.') },
})
const updateRoute = defineRoute({
  action: 'sign-in.manage',
  method: 'patch',
  path: '/sign-in-providers/{providerId}',
  tags,
  summary: 'Change a provider’s settings',
  request: { params: providerParams, body: jsonBody(updateSignInProviderSchema) },
  responses: { 200: jsonAnswer(signInProviderSchema, 'They apply from the next sign-in and the next check.') },
})
const removeRoute = defineRoute({
  action: 'sign-in.manage',
  method: 'delete',
  path: '/sign-in-providers/{providerId}',
  tags,
  summary: 'Remove a provider, and end the sessions that it started',
  request: { params: providerParams },
  responses: { 204: { description: 'Removed.' } },
})
const testRoute = defineRoute({
  action: 'sign-in.manage',
  method: 'post',
  path: '/sign-in-providers/{providerId}/test',
  tags,
  summary: 'Check that a provider responds as an OpenID Connect issuer does',
  request: { params: providerParams },
  responses: { 200: jsonAnswer(testedSignInProviderSchema, 'It does.') },
})

type AppOrigin = (context: ApiContext) => string

/** Routes that need no sign-in. */
export function providerSignInRoutes(parts: { signIn: OidcSignIn; providers: Providers; appOrigin: AppOrigin }): Api {
  const { signIn, providers, appOrigin } = parts
  const api = makeApi()
  api.openapi(buttonsRoute, async (context) =>
    context.json(await providers.buttons(context.req.valid('query').problem), 200),
  )
  api.openapi(startRoute, async (context) => {
    const { providerId, returnTo, secret } = context.req.valid('json')
    const purpose =
      secret === undefined ? { kind: 'sign-in' as const } : { kind: 'link' as const, sha256: sha256Of(secret) }
    const order = { providerId, returnTo, purpose, appOrigin: appOrigin(context) }
    const { url, setCookies } = await signIn.start(order, originOf(context))
    addCookies(context, setCookies)
    return context.json({ url }, 200)
  })
  return api
}

export function providerRoutes(parts: {
  signIn: OidcSignIn
  providers: Providers
  identities: OwnIdentities
  appOrigin: AppOrigin
}): Api {
  const { signIn, providers, identities, appOrigin } = parts
  const api = makeApi()
  const caller = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId
  api.openapi(identitiesRoute, async (context) => context.json(await identities.list(caller(context)), 200))
  const startFor = async (context: ApiContext, kind: 'connect' | 'confirm', request: ConnectIdentity) => {
    // The actions admit sessions only.
    const purpose = { kind, userId: caller(context), sessionId: context.get('caller').sessionId ?? '' }
    const order = { ...request, purpose, appOrigin: appOrigin(context) }
    const { url, setCookies } = await signIn.start(order, originOf(context))
    addCookies(context, setCookies)
    return { url }
  }
  api.openapi(connectRoute, async (context) =>
    context.json(await startFor(context, 'connect', context.req.valid('json')), 200),
  )
  api.openapi(confirmRoute, async (context) =>
    context.json(await startFor(context, 'confirm', context.req.valid('json')), 200),
  )
  api.openapi(disconnectRoute, async (context) => {
    await identities.disconnect(caller(context), context.req.valid('param').identityId)
    return context.body(null, 204)
  })
  api.openapi(listRoute, async (context) =>
    context.json({ providers: await providers.list(caller(context), appOrigin(context)) }, 200),
  )
  api.openapi(createRoute, async (context) =>
    context.json(await providers.create(caller(context), context.req.valid('json'), appOrigin(context)), 201),
  )
  api.openapi(updateRoute, async (context) => {
    const change = { request: context.req.valid('json'), appOrigin: appOrigin(context) }
    return context.json(await providers.update(caller(context), context.req.valid('param').providerId, change), 200)
  })
  api.openapi(removeRoute, async (context) => {
    await providers.remove(caller(context), context.req.valid('param').providerId)
    return context.body(null, 204)
  })
  api.openapi(testRoute, async (context) =>
    context.json(await providers.test(caller(context), context.req.valid('param').providerId), 200),
  )
  return api
}
