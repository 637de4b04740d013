import { z } from '@hono/zod-openapi'
import {
  serviceLogsSchema,
  serviceSchema,
  servicesViewSchema,
  startServiceRequestSchema,
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
  wholeNumberQuery,
} from '../../platform/http/api.ts'
import type { Services } from './services.usecases.ts'

const tags = ['services']
const path = '/threads/{threadId}/services' as const
const serviceParams = threadParams.extend({ name: idParam })
const answer = { 200: jsonAnswer(serviceSchema, 'The service in its current state.') }

const listRoute = defineRoute({
  action: 'sandboxes.read',
  method: 'get',
  path,
  tags,
  summary: 'List a thread’s services and other open ports in its sandbox',
  request: { params: threadParams },
  responses: { 200: jsonAnswer(servicesViewSchema, 'The services, in the order they were started.') },
})
const startRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path,
  tags,
  summary: 'Start a service. Replaces a service with the same name or port',
  request: { params: threadParams, body: jsonBody(startServiceRequestSchema) },
  responses: { 201: jsonAnswer(serviceSchema, 'The process is running. The status shows whether its port responds.') },
})
const stopRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/{name}/stop`,
  tags,
  summary: 'Stop a service and everything it started. It stays in the list',
  request: { params: serviceParams },
  responses: answer,
})
const restartRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'post',
  path: `${path}/{name}/restart`,
  tags,
  summary: 'Restart a service with its saved command. Wakes the sandbox',
  request: { params: serviceParams },
  responses: answer,
})
const removeRoute = defineRoute({
  action: 'sandboxes.work',
  method: 'delete',
  path: `${path}/{name}`,
  tags,
  summary: 'Stop and remove a service',
  request: { params: serviceParams },
  responses: { 204: { description: 'Removed.' } },
})
const logsRoute = defineRoute({
  action: 'sandboxes.read',
  method: 'get',
  path: `${path}/{name}/logs`,
  tags,
  summary: 'Read a service’s output from the end or before an offset. Doesn’t wake the sandbox',
  request: {
    params: serviceParams,
    query: z.object({ before: wholeNumberQuery({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional() }),
  },
  responses: { 200: jsonAnswer(serviceLogsSchema, 'The output, up to 64 KiB.') },
})

/** Routes of a thread’s services. Each one first calls `open`, which checks that the caller can access the thread. */
export function serviceRoutes(dependencies: { services: Services; open: OpenThread }): Api {
  const { services } = dependencies
  const api = makeApi()
  const opened = threadOpener(dependencies.open)

  api.openapi(listRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await services.list(threadId), 200)
  })
  api.openapi(startRoute, async (context) => {
    const threadId = await opened(context, context.req.valid('param').threadId)
    return context.json(await services.start(threadId, context.req.valid('json')), 201)
  })
  api.openapi(stopRoute, async (context) => {
    const { threadId, name } = context.req.valid('param')
    return context.json(await services.stop(await opened(context, threadId), name), 200)
  })
  api.openapi(restartRoute, async (context) => {
    const { threadId, name } = context.req.valid('param')
    return context.json(await services.restart(await opened(context, threadId), name), 200)
  })
  api.openapi(removeRoute, async (context) => {
    const { threadId, name } = context.req.valid('param')
    await services.remove(await opened(context, threadId), name)
    return context.body(null, 204)
  })
  api.openapi(logsRoute, async (context) => {
    const { threadId, name } = context.req.valid('param')
    return context.json(await services.logs(await opened(context, threadId), name, context.req.valid('query')), 200)
  })
  return api
}
