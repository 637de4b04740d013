import { z } from '@hono/zod-openapi'
import { setMemberSchema, workspaceMembersSchema } from '@threadbox/protocol/public'
import {
  type Api,
  type ApiContext,
  defineRoute,
  idParam,
  jsonAnswer,
  jsonBody,
  makeApi,
} from '../../platform/http/api.ts'
import type { Members } from './members.usecases.ts'

const tags = ['workspaces']
const path = '/workspaces/{workspaceId}' as const
const params = z.object({ workspaceId: idParam })
const memberParams = z.object({ workspaceId: idParam, userId: idParam })
const answer = { 200: jsonAnswer(workspaceMembersSchema, 'The members, owners first.') }

const listRoute = defineRoute({
  action: 'workspaces.read',
  method: 'get',
  path: `${path}/members`,
  tags,
  summary: 'List the members of a workspace with their roles',
  request: { params },
  responses: answer,
})
const setRoute = defineRoute({
  action: 'workspaces.members',
  method: 'put',
  path: `${path}/members/{userId}`,
  tags,
  summary: 'Add a person to a workspace, or change their role',
  request: { params: memberParams, body: jsonBody(setMemberSchema) },
  responses: answer,
})
const removeRoute = defineRoute({
  action: 'workspaces.members',
  method: 'delete',
  path: `${path}/members/{userId}`,
  tags,
  summary: 'Remove a person from a workspace. Their private threads become theirs outside of it',
  request: { params: memberParams },
  responses: answer,
})
const leaveRoute = defineRoute({
  action: 'workspaces.leave',
  method: 'post',
  path: `${path}/leave`,
  tags,
  summary: 'Leave a workspace. Your private threads become yours outside of it',
  request: { params },
  responses: { 204: { description: 'Left.' } },
})

export function memberRoutes({ members }: { members: Members }): Api {
  const api = makeApi()
  const caller = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId

  api.openapi(listRoute, async (context) =>
    context.json(await members.list(caller(context), context.req.valid('param').workspaceId), 200),
  )
  api.openapi(setRoute, async (context) => {
    const { workspaceId, userId } = context.req.valid('param')
    const { role } = context.req.valid('json')
    return context.json(await members.set(caller(context), { workspaceId, memberId: userId, role }), 200)
  })
  api.openapi(removeRoute, async (context) => {
    const { workspaceId, userId } = context.req.valid('param')
    return context.json(await members.remove(caller(context), { workspaceId, memberId: userId }), 200)
  })
  api.openapi(leaveRoute, async (context) => {
    await members.leave(caller(context), context.req.valid('param').workspaceId)
    return context.body(null, 204)
  })
  return api
}
