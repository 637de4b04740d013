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
const answer = { 200: jsonAnswer(sandboxDetailSchema, 'The sandbox in its current state.') }
const path = '/threads/{threadId}/sandbox' as const

const detailRoute = defineRoute({
  action: 'sandboxes.read',
  method: 'get',
  path,
  tags,
  summary: 'Get a thread’s sandbox: state, what keeps it awake, policy, processes, latest report, log',
  request: { params: threadParams },
  responses: answer,
})
const changeRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'patch',
  path,
  tags,
  summary: 'Update the sandbox’s policy and limits. Also applies while it is running',
  request: { params: threadParams, body: jsonBody(changeSandboxDetailSchema) },
  responses: answer,
})
const pauseRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/pause`,
  tags,
  summary: 'Pause the sandbox with its memory. Rejected while the agent is responding',
  request: { params: threadParams },
  responses: answer,
})
const wakeRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/wake`,
  tags,
  summary: 'Wake or start the sandbox. Concurrent calls share one wake',
  request: { params: threadParams },
  responses: answer,
})
const restartRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/restart`,
  tags,
  summary: 'Restart the sandbox from its disk. All processes stop',
  request: { params: threadParams },
  responses: answer,
})
const archiveRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/archive`,
  tags,
  summary: 'Move the files of a sleeping sandbox to the archive. Its saved memory is discarded',
  request: { params: threadParams },
  responses: answer,
})
const restoreRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/restore`,
  tags,
  summary: 'Restore archived files without starting the sandbox. Concurrent calls share one restore',
  request: { params: threadParams },
  responses: answer,
})
const holdRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/hold`,
  tags,
  summary: 'Keep the sandbox awake until a time. null clears it',
  request: { params: threadParams, body: jsonBody(holdSandboxSchema) },
  responses: answer,
})
const reportRoute = defineRoute({
  action: 'sandboxes.read',
  method: 'get',
  path: `${path}/reports/{reportId}`,
  tags,
  summary: 'Get a survival report',
  request: { params: threadParams.extend({ reportId: idParam }) },
  responses: { 200: jsonAnswer(survivalReportSchema, 'The report.') },
})
const startRescuedRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/rescued/{restartId}/start`,
  tags,
  summary: 'Restart a process that ended when memory was discarded',
  request: { params: threadParams.extend({ restartId: idParam }) },
  responses: answer,
})

/** Routes of a thread’s sandbox. Each one first calls `open`, which checks that the caller can access the thread. */
export function lifecycleRoutes(dependencies: { lifecycle: Lifecycle; open: OpenThread }): Api {
  const { lifecycle } = dependencies
  const api = makeApi()
  const opened = threadOpener(dependencies.open)

  api.openapi(detailRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await lifecycle.detail(threadId), 200)
  })
  api.openapi(changeRoute, async (context) => {
    const { userId } = context.get('caller')
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await lifecycle.change({ userId, threadId }, context.req.valid('json')), 200)
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
  api.openapi(archiveRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await lifecycle.archive(threadId)
    return context.json(await lifecycle.detail(threadId), 200)
  })
  api.openapi(restoreRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    await lifecycle.restore(threadId)
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
