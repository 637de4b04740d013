import { forkThreadSchema, threadSchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, jsonAnswer, jsonBody, makeApi, threadParams } from '../../platform/http/api.ts'
import type { Threads } from '../../threads/public.ts'
import type { Forks } from './forks.usecases.ts'

const forkRoute = defineRoute({
  action: 'threads.fork',
  method: 'post',
  path: '/threads/{threadId}/fork',
  tags: ['snapshots'],
  summary: 'Fork a thread from its current state or from after a response',
  request: { params: threadParams, body: jsonBody(forkThreadSchema) },
  responses: { 201: jsonAnswer(threadSchema, 'The new thread.') },
})

export function forkRoutes({ forks, threads }: { forks: Forks; threads: Pick<Threads, 'open'> }): Api {
  const api = makeApi()
  api.openapi(forkRoute, async (context) => {
    const { userId } = context.get('caller')
    const thread = await threads.open(userId, context.req.valid('param').threadId)
    return context.json(await forks.fork(userId, thread, context.req.valid('json')), 201)
  })
  return api
}
