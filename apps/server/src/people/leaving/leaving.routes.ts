import { z } from '@hono/zod-openapi'
import {
  belongingsSchema,
  handOverSchema,
  offerOwnershipSchema,
  ownershipOfferSchema,
} from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import type { Leaving } from './leaving.usecases.ts'
import type { Ownership } from './ownership.usecases.ts'

const tags = ['leaving']
const params = z.object({ personId: idParam })

const belongingsRoute = defineRoute({
  action: 'people.list-invites',
  method: 'get',
  path: '/people/{personId}/belongings',
  tags,
  summary: 'Get what a person has, by number, and the names of what never goes to another person',
  request: { params },
  responses: { 200: jsonAnswer(belongingsSchema, 'What they have.') },
})
const handOverRoute = defineRoute({
  action: 'people.manage',
  method: 'post',
  path: '/people/{personId}/hand-over',
  tags,
  summary: 'Hand over a disabled person’s threads, agents, skills, schedules and webhooks to another person',
  request: { params, body: jsonBody(handOverSchema) },
  responses: { 202: jsonAnswer(belongingsSchema, 'Started. What is listed as personal is not handed over.') },
})
const eraseRoute = defineRoute({
  action: 'people.manage',
  method: 'post',
  path: '/people/{personId}/erase',
  tags,
  summary: 'Erase a disabled person’s account with everything that is theirs. This can’t be undone',
  request: { params },
  responses: { 202: jsonAnswer(belongingsSchema, 'Started. This is what is deleted.') },
})
const ownBelongingsRoute = defineRoute({
  action: 'account.manage',
  method: 'get',
  path: '/me/belongings',
  tags,
  summary: 'Get what you have, by number',
  responses: { 200: jsonAnswer(belongingsSchema, 'What you have.') },
})
const eraseOwnRoute = defineRoute({
  action: 'account.erase',
  method: 'post',
  path: '/me/erase',
  tags,
  summary: 'Erase your account with everything that is yours. This can’t be undone',
  responses: { 202: jsonAnswer(belongingsSchema, 'Started. You are signed out everywhere.') },
})
const offerRoute = defineRoute({
  action: 'account.manage',
  method: 'get',
  path: '/ownership-offer',
  tags,
  summary: 'Get the open offer of ownership. Only the owner and the other person see it',
  responses: { 200: jsonAnswer(ownershipOfferSchema, 'The offer, or null.') },
})
const makeOfferRoute = defineRoute({
  action: 'ownership.change',
  method: 'put',
  path: '/ownership-offer',
  tags,
  summary: 'Offer ownership of the installation to a person (owner only)',
  request: { body: jsonBody(offerOwnershipSchema) },
  responses: { 200: jsonAnswer(ownershipOfferSchema, 'The person can accept within 7 days.') },
})
const withdrawRoute = defineRoute({
  action: 'account.manage',
  method: 'delete',
  path: '/ownership-offer',
  tags,
  summary: 'Withdraw or decline an offer of ownership',
  responses: { 204: { description: 'The offer has ended.' } },
})
const acceptRoute = defineRoute({
  action: 'ownership.change',
  method: 'post',
  path: '/ownership-offer/accept',
  tags,
  summary: 'Become the owner. The previous owner becomes an admin',
  responses: { 204: { description: 'You are the owner.' } },
})

export function leavingRoutes({ leaving, ownership }: { leaving: Leaving; ownership: Ownership }): Api {
  const api = makeApi()
  api.openapi(belongingsRoute, async (context) => {
    const { personId } = context.req.valid('param')
    return context.json(await leaving.belongings(context.get('caller').userId, personId), 200)
  })
  api.openapi(handOverRoute, async (context) => {
    const { personId } = context.req.valid('param')
    const { to } = context.req.valid('json')
    return context.json(await leaving.handOver(context.get('caller').userId, { personId, to }), 202)
  })
  api.openapi(eraseRoute, async (context) => {
    const { personId } = context.req.valid('param')
    return context.json(await leaving.erase(context.get('caller').userId, personId), 202)
  })
  api.openapi(ownBelongingsRoute, async (context) => {
    const { userId } = context.get('caller')
    return context.json(await leaving.belongings(userId, userId), 200)
  })
  api.openapi(eraseOwnRoute, async (context) => {
    const { userId } = context.get('caller')
    return context.json(await leaving.erase(userId, userId), 202)
  })
  api.openapi(offerRoute, async (context) => context.json(await ownership.offer(context.get('caller').userId), 200))
  api.openapi(makeOfferRoute, async (context) => {
    const { personId } = context.req.valid('json')
    return context.json(await ownership.make(context.get('caller').userId, personId), 200)
  })
  api.openapi(withdrawRoute, async (context) => {
    await ownership.withdraw(context.get('caller').userId)
    return context.body(null, 204)
  })
  api.openapi(acceptRoute, async (context) => {
    await ownership.accept(context.get('caller').userId)
    return context.body(null, 204)
  })
  return api
}
