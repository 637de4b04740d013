import { z } from '@hono/zod-openapi'
import {
  createdInviteSchema,
  createInviteSchema,
  invitesSchema,
  joinSchema,
  linkSchema,
  meSchema,
  readLinkSchema,
  resetLinkSchema,
  resetPasswordSchema,
} from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import { addCookies, originOf } from '../users/users.routes.ts'
import type { Invites } from './invites.usecases.ts'

const tags = ['people']

const readLinkRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/link',
  tags,
  summary: 'Get what an invite or a reset link is for. Uses nothing up',
  request: { body: jsonBody(readLinkSchema) },
  responses: { 200: jsonAnswer(linkSchema, 'The link is valid.') },
})
const joinRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/join',
  tags,
  summary: 'Join with an invite',
  request: { body: jsonBody(joinSchema) },
  responses: { 201: jsonAnswer(meSchema, 'Joined and signed in.') },
})
const resetRoute = defineRoute({
  action: 'account.sign-in',
  method: 'post',
  path: '/auth/reset',
  tags,
  summary: 'Set a new password with a reset link, and sign out everywhere else',
  request: { body: jsonBody(resetPasswordSchema) },
  responses: { 200: jsonAnswer(meSchema, 'Signed in.') },
})
const listRoute = defineRoute({
  action: 'people.list-invites',
  method: 'get',
  path: '/invites',
  tags,
  summary: 'List invites that can still be used (owner and admins only)',
  responses: { 200: jsonAnswer(invitesSchema, 'The invites, newest first, without their secrets.') },
})
const createRoute = defineRoute({
  action: 'people.manage',
  method: 'post',
  path: '/invites',
  tags,
  summary: 'Create an invite (owner and admins only). Its path is returned only once',
  request: { body: jsonBody(createInviteSchema) },
  responses: { 201: jsonAnswer(createdInviteSchema, 'The invite with its path.') },
})
const revokeRoute = defineRoute({
  action: 'people.manage',
  method: 'delete',
  path: '/invites/{inviteId}',
  tags,
  summary: 'Revoke an invite',
  request: { params: z.object({ inviteId: idParam }) },
  responses: { 204: { description: 'Revoked.' } },
})
const resetLinkRoute = defineRoute({
  action: 'people.manage',
  method: 'post',
  path: '/people/{personId}/reset-link',
  tags,
  summary: 'Create a link with which a person sets a new password. Replaces an earlier one',
  request: { params: z.object({ personId: idParam }) },
  responses: { 201: jsonAnswer(resetLinkSchema, 'The path of the link, which is returned only once.') },
})

/** Routes that need no sign-in. */
export function linkRoutes({ invites }: { invites: Invites }): Api {
  const api = makeApi()
  api.openapi(readLinkRoute, async (context) =>
    context.json(await invites.read(context.req.valid('json').secret, originOf(context)), 200),
  )
  api.openapi(joinRoute, async (context) => {
    const { me, setCookies } = await invites.join(context.req.valid('json'), originOf(context))
    addCookies(context, setCookies)
    return context.json(me, 201)
  })
  api.openapi(resetRoute, async (context) => {
    const { me, setCookies } = await invites.reset(context.req.valid('json'), originOf(context))
    addCookies(context, setCookies)
    return context.json(me, 200)
  })
  return api
}

export function inviteRoutes({ invites }: { invites: Invites }): Api {
  const api = makeApi()
  api.openapi(listRoute, async (context) => context.json(await invites.list(context.get('caller').userId), 200))
  api.openapi(createRoute, async (context) =>
    context.json(await invites.create(context.get('caller').userId, context.req.valid('json')), 201),
  )
  api.openapi(revokeRoute, async (context) => {
    await invites.revoke(context.get('caller').userId, context.req.valid('param').inviteId)
    return context.body(null, 204)
  })
  api.openapi(resetLinkRoute, async (context) =>
    context.json(await invites.resetLink(context.get('caller').userId, context.req.valid('param').personId), 201),
  )
  return api
}
