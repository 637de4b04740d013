import { z } from '@hono/zod-openapi'
import {
  createdWebhookSchema,
  createScheduleSchema,
  createWebhookSchema,
  keepRunsSchema,
  keptRunsSchema,
  latestRunsSchema,
  maxKeptRuns,
  nextTimesSchema,
  runPageSchema,
  runSchema,
  scheduleSchema,
  schedulesSchema,
  startRunSchema,
  updateScheduleSchema,
  updateWebhookSchema,
  webhookSchema,
  webhooksSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  type ApiContext,
  countQuery,
  defineRoute,
  idParam,
  jsonAnswer,
  jsonBody,
  makeApi,
  wholeNumberQuery,
} from '../../platform/http/api.ts'
import type { KeptRuns } from './kept-runs.usecases.ts'
import type { Runs } from './runs.usecases.ts'
import type { Schedules } from './schedules.usecases.ts'
import type { Webhooks } from './webhooks.usecases.ts'

const tags = ['runs']
const agentParams = z.object({ agentId: idParam })
const runParams = z.object({ runId: idParam })
const scheduleParams = z.object({ scheduleId: idParam })
const webhookParams = z.object({ webhookId: idParam })
const gone = { 204: { description: 'Deleted.' } }

const listRunsRoute = defineRoute({
  action: 'runs.read',
  method: 'get',
  path: '/agents/{agentId}/runs',
  tags,
  summary: 'List an agent’s runs and how long they stay listed',
  request: {
    params: agentParams,
    query: z.object({ cursor: z.string().max(200).optional(), limit: countQuery({ default: 20, max: 100 }) }),
  },
  responses: { 200: jsonAnswer(runPageSchema, 'A page of runs, newest first.') },
})
const startRunRoute = defineRoute({
  action: 'runs.manage',
  method: 'post',
  path: '/agents/{agentId}/runs',
  tags,
  summary: 'Run an agent unattended with this message in a new thread',
  request: { params: agentParams, body: jsonBody(startRunSchema) },
  responses: { 202: jsonAnswer(runSchema, 'The queued or running run.') },
})
const getRunRoute = defineRoute({
  action: 'runs.read',
  method: 'get',
  path: '/runs/{runId}',
  tags,
  summary: 'Get a run',
  request: { params: runParams },
  responses: { 200: jsonAnswer(runSchema, 'The run.') },
})
const latestRunsRoute = defineRoute({
  action: 'runs.read',
  method: 'get',
  path: '/runs/latest',
  tags,
  summary: 'List each agent’s latest run and next scheduled time',
  responses: { 200: jsonAnswer(latestRunsSchema, 'In the same order as the agents.') },
})
const cancelRunRoute = defineRoute({
  action: 'runs.manage',
  method: 'post',
  path: '/runs/{runId}/cancel',
  tags,
  summary: 'Cancel a queued or running run. Has no effect on a finished run',
  request: { params: runParams },
  responses: { 200: jsonAnswer(runSchema, 'The run.') },
})
const getKeptRunsRoute = defineRoute({
  action: 'runs.read',
  method: 'get',
  path: '/agents/{agentId}/kept-runs',
  tags,
  summary: 'Get how many runs’ threads an agent keeps, and which threads a value would delete',
  request: {
    params: agentParams,
    query: z.object({ keep: wholeNumberQuery({ min: 1, max: maxKeptRuns }).optional() }),
  },
  responses: { 200: jsonAnswer(keptRunsSchema, 'The value, and the threads it deletes.') },
})
const setKeptRunsRoute = defineRoute({
  action: 'runs.manage',
  method: 'put',
  path: '/agents/{agentId}/kept-runs',
  tags,
  summary: 'Set how many finished runs’ threads to keep',
  request: { params: agentParams, body: jsonBody(keepRunsSchema) },
  responses: { 200: jsonAnswer(keptRunsSchema, 'The value, and the threads deleted now.') },
})
const listSchedulesRoute = defineRoute({
  action: 'runs.read',
  method: 'get',
  path: '/agents/{agentId}/schedules',
  tags,
  summary: 'List an agent’s schedules with their next times',
  request: { params: agentParams },
  responses: { 200: jsonAnswer(schedulesSchema, 'The schedules, oldest first.') },
})
const createScheduleRoute = defineRoute({
  action: 'runs.manage',
  method: 'post',
  path: '/agents/{agentId}/schedules',
  tags,
  summary: 'Create a schedule in a time zone',
  request: { params: agentParams, body: jsonBody(createScheduleSchema) },
  responses: { 201: jsonAnswer(scheduleSchema, 'The schedule.') },
})
const nextTimesRoute = defineRoute({
  action: 'runs.read',
  method: 'get',
  path: '/schedules/next',
  tags,
  summary: 'Preview a schedule’s next times',
  request: { query: z.object({ cron: z.string().min(1).max(200), timeZone: z.string().min(1).max(64) }) },
  responses: { 200: jsonAnswer(nextTimesSchema, 'The next times.') },
})
const updateScheduleRoute = defineRoute({
  action: 'runs.manage',
  method: 'patch',
  path: '/schedules/{scheduleId}',
  tags,
  summary: 'Update a schedule, or turn it on or off',
  request: { params: scheduleParams, body: jsonBody(updateScheduleSchema) },
  responses: { 200: jsonAnswer(scheduleSchema, 'The schedule.') },
})
const deleteScheduleRoute = defineRoute({
  action: 'runs.manage',
  method: 'delete',
  path: '/schedules/{scheduleId}',
  tags,
  summary: 'Delete a schedule. Runs in progress continue',
  request: { params: scheduleParams },
  responses: gone,
})
const listWebhooksRoute = defineRoute({
  action: 'runs.read',
  method: 'get',
  path: '/agents/{agentId}/webhooks',
  tags,
  summary: 'List an agent’s webhooks',
  request: { params: agentParams },
  responses: { 200: jsonAnswer(webhooksSchema, 'The webhooks, oldest first.') },
})
const createWebhookRoute = defineRoute({
  action: 'runs.manage',
  method: 'post',
  path: '/agents/{agentId}/webhooks',
  tags,
  summary: 'Create a webhook that starts runs',
  request: { params: agentParams, body: jsonBody(createWebhookSchema) },
  responses: { 201: jsonAnswer(createdWebhookSchema, 'The webhook. Its secret is returned only once.') },
})
const updateWebhookRoute = defineRoute({
  action: 'runs.manage',
  method: 'patch',
  path: '/webhooks/{webhookId}',
  tags,
  summary: 'Update a webhook, or turn it on or off',
  request: { params: webhookParams, body: jsonBody(updateWebhookSchema) },
  responses: { 200: jsonAnswer(webhookSchema, 'The webhook.') },
})
const renewWebhookSecretRoute = defineRoute({
  action: 'runs.manage',
  method: 'post',
  path: '/webhooks/{webhookId}/secret',
  tags: ['runs'],
  summary: 'Replace a webhook’s secret. The previous secret stops working immediately',
  request: { params: webhookParams },
  responses: { 200: jsonAnswer(createdWebhookSchema, 'The webhook. Its secret is returned only once.') },
})
const deleteWebhookRoute = defineRoute({
  action: 'runs.manage',
  method: 'delete',
  path: '/webhooks/{webhookId}',
  tags,
  summary: 'Delete a webhook. Its URL stops working',
  request: { params: webhookParams },
  responses: gone,
})

type Dependencies = {
  runs: Runs
  schedules: Schedules
  webhooks: Webhooks
  kept: KeptRuns
  /** The app’s origin for a request to this host. */
  originOf: (host: string) => string
}

/** Routes of runs, schedules and webhooks. The use cases check permissions. */
export function runRoutes(dependencies: Dependencies): Api {
  const { runs } = dependencies
  const api = makeApi()
  api.openapi(listRunsRoute, async (context) => {
    const { cursor, limit } = context.req.valid('query')
    return context.json(
      await runs.list(context.get('caller').userId, context.req.valid('param').agentId, { cursor, limit }),
      200,
    )
  })
  api.openapi(startRunRoute, async (context) => {
    const { userId, apiKeyId } = context.get('caller')
    const caller = { userId, trigger: apiKeyId === null ? ('manual' as const) : ('api' as const) }
    return context.json(await runs.start(caller, context.req.valid('param').agentId, context.req.valid('json')), 202)
  })
  api.openapi(latestRunsRoute, async (context) => context.json(await runs.latest(context.get('caller').userId), 200))
  api.openapi(getRunRoute, async (context) =>
    context.json(await runs.get(context.get('caller').userId, context.req.valid('param').runId), 200),
  )
  api.openapi(cancelRunRoute, async (context) =>
    context.json(await runs.cancel(context.get('caller').userId, context.req.valid('param').runId), 200),
  )
  addKeptRoutes(api, dependencies)
  addScheduleRoutes(api, dependencies)
  addWebhookRoutes(api, dependencies)
  return api
}

function addKeptRoutes(api: Api, { kept }: Dependencies): void {
  api.openapi(getKeptRunsRoute, async (context) => {
    const { keep } = context.req.valid('query')
    return context.json(await kept.get(context.get('caller').userId, context.req.valid('param').agentId, keep), 200)
  })
  api.openapi(setKeptRunsRoute, async (context) => {
    const { agentId } = context.req.valid('param')
    return context.json(await kept.set(context.get('caller').userId, agentId, context.req.valid('json')), 200)
  })
}

function addScheduleRoutes(api: Api, { schedules }: Dependencies): void {
  api.openapi(listSchedulesRoute, async (context) =>
    context.json(await schedules.list(context.get('caller').userId, context.req.valid('param').agentId), 200),
  )
  api.openapi(createScheduleRoute, async (context) => {
    const { version = null, ...request } = context.req.valid('json')
    const { userId } = context.get('caller')
    return context.json(
      await schedules.create(userId, context.req.valid('param').agentId, { ...request, version }),
      201,
    )
  })
  api.openapi(nextTimesRoute, (context) => context.json(schedules.next(context.req.valid('query')), 200))
  api.openapi(updateScheduleRoute, async (context) => {
    const { userId } = context.get('caller')
    const { scheduleId } = context.req.valid('param')
    return context.json(await schedules.update(userId, scheduleId, context.req.valid('json')), 200)
  })
  api.openapi(deleteScheduleRoute, async (context) => {
    await schedules.delete(context.get('caller').userId, context.req.valid('param').scheduleId)
    return context.body(null, 204)
  })
}

function addWebhookRoutes(api: Api, { webhooks, originOf }: Dependencies): void {
  const callerOf = (context: ApiContext) => ({
    userId: context.get('caller').userId,
    origin: originOf(context.req.header('host') ?? new URL(context.req.url).host),
  })
  api.openapi(listWebhooksRoute, async (context) => {
    const { userId, origin } = callerOf(context)
    return context.json(await webhooks.list(userId, context.req.valid('param').agentId, origin), 200)
  })
  api.openapi(createWebhookRoute, async (context) => {
    const { agentId } = context.req.valid('param')
    return context.json(await webhooks.create(callerOf(context), agentId, context.req.valid('json')), 201)
  })
  api.openapi(updateWebhookRoute, async (context) => {
    const { webhookId } = context.req.valid('param')
    return context.json(await webhooks.update(callerOf(context), webhookId, context.req.valid('json')), 200)
  })
  api.openapi(renewWebhookSecretRoute, async (context) => {
    return context.json(await webhooks.renewSecret(callerOf(context), context.req.valid('param').webhookId), 200)
  })
  api.openapi(deleteWebhookRoute, async (context) => {
    await webhooks.delete(context.get('caller').userId, context.req.valid('param').webhookId)
    return context.body(null, 204)
  })
}
