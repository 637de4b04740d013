import {
  changeSandboxDetailSchema,
  holdSandboxSchema,
  sandboxDetailSchema,
  survivalReportSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  defineRoute,
  idParam,
  jsonAnswer,
  jsonBody,
  makeApi,
  type OpenThread,
  threadOpener,
  threadParams,
} from '../../platform/http/api.ts'
import type { Lifecycle } from './lifecycle.usecases.ts'

const tags = ['sandbox']
const answer = { 200: jsonAnswer(sandboxDetailSchema, 'The sandbox as it is now.') }
const path = '/threads/{threadId}/sandbox' as const

const detailRoute = defineRoute({
  method: 'get',
  path,
  tags,
  summary: 'The computer of a thread: state, what keeps it awake, policy, processes, latest report, log',
  request: { params: threadParams },
  responses: answer,
})
const changeRoute = defineRoute({
  method: 'patch',
  path,
  tags,
  summary: 'Change when it sleeps and what it may use, also while it runs',
  request: { params: threadParams, body: jsonBody(changeSandboxDetailSchema) },
  responses: answer,
})
const pauseRoute = defineRoute({
  method: 'post',
  path: `${path}/pause`,
  tags,
  summary: 'Save the memory and sleep; refused while an answer is being made',
  request: { params: threadParams },
  responses: answer,
})
const wakeRoute = defineRoute({
  method: 'post',
  path: `${path}/wake`,
  tags,
  summary: 'Wake it, or start it; calls at the same time join',
  request: { params: threadParams },
  responses: answer,
})
const restartRoute = defineRoute({
  method: 'post',
  path: `${path}/restart`,
  tags,
  summary: 'End every process and start again over the same disk',
  request: { params: threadParams },
  responses: answer,
})
const holdRoute = defineRoute({
  method: 'post',
  path: `${path}/hold`,
  tags,
  summary: 'Keep it awake until a moment; null ends that',
  request: { params: threadParams, body: jsonBody(holdSandboxSchema) },
  responses: answer,
})
const reportRoute = defineRoute({
  method: 'get',
  path: `${path}/reports/{reportId}`,
  tags,
  summary: 'What survived one pause',
  request: { params: threadParams.extend({ reportId: idParam }) },
  responses: { 200: jsonAnswer(survivalReportSchema, 'The report.') },
})
const startRescuedRoute = defineRoute({
  method: 'post',
  path: `${path}/rescued/{restartId}/start`,
  tags,
  summary: 'Start a process again that ended with the memory',
  request: { params: threadParams.extend({ restartId: idParam }) },
  responses: answer,
})

/** Routes of a thread's computer. `open` checks that the thread is the caller's; every route begins with it. */
export function lifecycleRoutes(dependencies: { lifecycle: Lifecycle; open: OpenThread }): Api {
  const { lifecycle } = dependencies
  const api = makeApi()
  const opened = threadOpener(dependencies.open)

  api.openapi(detailRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await lifecycle.detail(threadId), 200)
  })
  api.openapi(changeRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await lifecycle.change(threadId, context.req.valid('json')), 200)
  })
  api.openapi(pauseRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await lifecycle.pause(threadId)
    return context.json(await lifecycle.detail(threadId), 200)
  })
  api.openapi(wakeRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await lifecycle.wake(threadId)
    return context.json(await lifecycle.detail(threadId), 200)
  })
  api.openapi(restartRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await lifecycle.restart(threadId)
    return context.json(await lifecycle.detail(threadId), 200)
  })
  api.openapi(holdRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await lifecycle.hold(threadId, context.req.valid('json').until)
    return context.json(await lifecycle.detail(threadId), 200)
  })
  api.openapi(reportRoute, async (context) => {
    const { threadId, reportId } = context.req.valid('param')
    return context.json(await lifecycle.report(await opened(context, threadId), reportId), 200)
  })
  api.openapi(startRescuedRoute, async (context) => {
    const { threadId, restartId } = context.req.valid('param')
    await lifecycle.startRescued(await opened(context, threadId), restartId)
    return context.json(await lifecycle.detail(threadId), 200)
  })
  return api
}
