import { z } from '@hono/zod-openapi'
import { handOverSchema, openThreadSchema, personalNamesSchema, threadOpeningSchema } from '@threadbox/protocol/public'
import type { Leaving } from '../../people/public.ts'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi, threadParams } from '../../platform/http/api.ts'
import { type Access, subjectOfThread } from '../access/access.ts'
import { threadCreatorOutside } from '../log/threads.errors.ts'
import type { OpenThreadWithReason } from '../threads/open-thread.ts'
import type { Threads } from '../threads/threads.usecases.ts'
import type { PersonalUses } from './personal-uses.ts'
import type { Workspaces } from './workspaces.usecases.ts'

const tags = ['leaving']

const usesRoute = defineRoute({
  action: 'threads.read',
  method: 'get',
  path: '/threads/{threadId}/personal-uses',
  tags,
  summary:
    'Get which of your own secrets, Git credentials and connections work in a thread only while it is yours alone',
  request: { params: threadParams },
  responses: { 200: jsonAnswer(personalNamesSchema, 'Their names.') },
})
const workspaceUsesRoute = defineRoute({
  action: 'workspaces.read',
  method: 'get',
  path: '/workspaces/{workspaceId}/personal-uses',
  tags,
  summary: 'Get which of your own secrets, Git credentials and connections stop working when others join a workspace',
  request: { params: z.object({ workspaceId: idParam }) },
  responses: { 200: jsonAnswer(personalNamesSchema, 'Their names.') },
})
const handOverRoute = defineRoute({
  action: 'threads.hand-over',
  method: 'post',
  path: '/threads/{threadId}/hand-over',
  tags,
  summary: 'Make another person the creator of a thread. What is personal isn’t handed over',
  request: { params: threadParams, body: jsonBody(handOverSchema) },
  responses: { 202: jsonAnswer(personalNamesSchema, 'Started. These of yours no longer work in it.') },
})
const openingRoute = defineRoute({
  action: 'threads.oversee',
  method: 'post',
  path: '/threads/{threadId}/openings',
  tags,
  summary: 'Read a thread that you aren’t in for an hour (owner and admins, if a setting allows it)',
  request: { params: threadParams, body: jsonBody(openThreadSchema) },
  responses: { 201: jsonAnswer(threadOpeningSchema, 'Its members see the reason.') },
})

export function leavingThreadRoutes(dependencies: {
  threads: Pick<Threads, 'open'>
  workspaces: Pick<Workspaces, 'get'>
  access: Pick<Access, 'roleMay'>
  personalUses: PersonalUses
  leaving: Pick<Leaving, 'handOverThread'>
  openWithReason: OpenThreadWithReason
}): Api {
  const { threads, workspaces, access, personalUses, leaving, openWithReason } = dependencies
  const api = makeApi()
  api.openapi(usesRoute, async (context) => {
    const { userId } = context.get('caller')
    const row = await threads.open(userId, context.req.valid('param').threadId)
    return context.json(await personalUses.ofThread(userId, row), 200)
  })
  api.openapi(workspaceUsesRoute, async (context) => {
    const { userId } = context.get('caller')
    const { workspaceId } = context.req.valid('param')
    await workspaces.get(userId, workspaceId)
    return context.json(await personalUses.ofWorkspace(userId, workspaceId), 200)
  })
  api.openapi(handOverRoute, async (context) => {
    const { userId } = context.get('caller')
    const { threadId } = context.req.valid('param')
    const { to } = context.req.valid('json')
    const row = await threads.open(userId, threadId)
    const after = { ...subjectOfThread(row), ownerId: to }
    if (!(await access.roleMay(to, 'work', after))) throw threadCreatorOutside({})
    const stopped = await personalUses.ofThread(userId, row)
    await leaving.handOverThread(userId, { threadId, from: row.user_id, to })
    return context.json(stopped, 202)
  })
  api.openapi(openingRoute, async (context) => {
    const { threadId } = context.req.valid('param')
    const { reason } = context.req.valid('json')
    return context.json(await openWithReason(context.get('caller').userId, { threadId, reason }), 201)
  })
  return api
}
