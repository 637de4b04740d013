import { z } from '@hono/zod-openapi'
import { peopleSchema, personSchema, updatePersonSchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import type { PeopleAdministration } from './people.usecases.ts'

const tags = ['people']

const listRoute = defineRoute({
  action: 'people.read',
  method: 'get',
  path: '/people',
  tags,
  summary: 'List the people of this installation',
  responses: { 200: jsonAnswer(peopleSchema, 'Everyone, by name.') },
})
const updateRoute = defineRoute({
  action: 'people.manage',
  method: 'patch',
  path: '/people/{personId}',
  tags,
  summary: 'Change a person’s role, or disable or enable their account (owner and admins only)',
  request: { params: z.object({ personId: idParam }), body: jsonBody(updatePersonSchema) },
  responses: { 200: jsonAnswer(personSchema, 'The person.') },
})

export function peopleRoutes({ administration }: { administration: PeopleAdministration }): Api {
  const api = makeApi()
  api.openapi(listRoute, async (context) => context.json(await administration.list(context.get('caller').userId), 200))
  api.openapi(updateRoute, async (context) => {
    const { personId } = context.req.valid('param')
    const { userId } = context.get('caller')
    return context.json(await administration.update(userId, personId, context.req.valid('json')), 200)
  })
  return api
}
