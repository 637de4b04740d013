import { z } from '@hono/zod-openapi'
import {
  agentDetailsSchema,
  agentOfferSchema,
  agentSchema,
  agentsSchema,
  captureEnvironmentSchema,
  createAgentSchema,
  environmentSchema,
  setAgentVersionSchema,
  startAgentSchema,
  threadSchema,
  updateAgentSchema,
} from '@threadbox/protocol/public'
import {
  type Api,
  type ApiContext,
  defineRoute,
  idParam,
  jsonAnswer,
  jsonBody,
  makeApi,
  threadOpener,
  threadParams,
} from '../../platform/http/api.ts'
import { contentHeaders } from '../../platform/http/user-content.ts'
import type { Threads } from '../../threads/public.ts'
import { addDraftRoutes } from './agent-drafts.routes.ts'
import type { AgentDrafts } from './agent-drafts.usecases.ts'
import type { AgentFiles } from './agent-files.usecases.ts'
import { agentVersionNotFound } from './agents.errors.ts'
import type { Agents } from './agents.usecases.ts'
import type { Environments } from './environments.usecases.ts'
import type { Installs } from './installs.usecases.ts'

const tags = ['agents']
const params = z.object({ agentId: idParam })
const answer = { 200: jsonAnswer(agentSchema, 'The agent.') }
const detailsAnswer = { 200: jsonAnswer(agentDetailsSchema, 'The agent with its versions.') }
const path = '/agents/{agentId}' as const

const listRoute = defineRoute({
  action: 'agents.read',
  method: 'get',
  path: '/agents',
  tags,
  summary: 'List your agents and those of your workspaces',
  responses: { 200: jsonAnswer(agentsSchema, 'All agents, sorted by name.') },
})
const createAgentRoute = defineRoute({
  action: 'agents.manage',
  method: 'post',
  path: '/agents',
  tags,
  summary: 'Create an agent for yourself or a workspace',
  request: { body: jsonBody(createAgentSchema) },
  responses: { 201: jsonAnswer(agentSchema, 'The new agent.') },
})
const getRoute = defineRoute({
  action: 'agents.read',
  method: 'get',
  path,
  tags,
  summary: 'Get an agent with all its versions',
  request: { params },
  responses: detailsAnswer,
})
const updateRoute = defineRoute({
  action: 'agents.manage',
  method: 'patch',
  path,
  tags,
  summary: 'Update an agent. Changing instructions, model, skills or connections creates a new version',
  request: { params, body: jsonBody(updateAgentSchema) },
  responses: answer,
})
const currentRoute = defineRoute({
  action: 'agents.manage',
  method: 'put',
  path: `${path}/current`,
  tags,
  summary: 'Set the version that new threads start from',
  request: { params, body: jsonBody(setAgentVersionSchema) },
  responses: answer,
})
const deleteRoute = defineRoute({
  action: 'agents.manage',
  method: 'delete',
  path,
  tags,
  summary: 'Delete an agent and all its versions. Threads started from it are kept',
  request: { params },
  responses: answer,
})
const deleteVersionRoute = defineRoute({
  action: 'agents.manage',
  method: 'delete',
  path: `${path}/versions/{version}`,
  tags,
  summary: 'Delete a version other than the current one',
  request: { params: params.extend({ version: idParam }) },
  responses: detailsAnswer,
})
const startRoute = defineRoute({
  action: 'agents.manage',
  method: 'post',
  path: `${path}/threads`,
  tags,
  summary: 'Start a thread from an agent',
  request: { params, body: jsonBody(startAgentSchema) },
  responses: { 201: jsonAnswer(threadSchema, 'The new thread.') },
})

const file = { 'application/octet-stream': { schema: z.string().meta({ format: 'binary' }) } }
const exportRoute = defineRoute({
  action: 'agents.manage',
  method: 'get',
  path: `${path}/versions/{version}/export`,
  tags,
  summary: 'Export an agent version as one file with its skills and environment, without secrets',
  request: { params: params.extend({ version: idParam }) },
  responses: { 200: { description: 'The file.', content: file } },
})
const offerAnswer = { 200: jsonAnswer(agentOfferSchema, 'Packages that were installed repeatedly.') }
const offerPath = '/threads/{threadId}/agent-offer' as const
const offerRoute = defineRoute({
  action: 'agents.read',
  method: 'get',
  path: offerPath,
  tags,
  summary: 'Get the packages for which the app suggests saving this thread as an agent',
  request: { params: threadParams },
  responses: offerAnswer,
})
const closeOfferRoute = defineRoute({
  action: 'agents.manage',
  method: 'delete',
  path: offerPath,
  tags,
  summary: 'Dismiss the suggestion for these packages',
  request: { params: threadParams },
  responses: offerAnswer,
})

const environmentAnswer = { 200: jsonAnswer(environmentSchema, 'The captured environment.') }
const environmentPath = '/environments/{environmentId}' as const
const environmentParams = z.object({ environmentId: idParam })
const captureRoute = defineRoute({
  action: 'agents.manage',
  method: 'post',
  path: '/threads/{threadId}/environments',
  tags,
  summary: 'Capture a thread’s sandbox, without its credentials, for use in an agent',
  request: { params: threadParams, body: jsonBody(captureEnvironmentSchema) },
  responses: { 201: jsonAnswer(environmentSchema, 'What the environment includes and excludes. Kept for one hour.') },
})
const getEnvironmentRoute = defineRoute({
  action: 'agents.read',
  method: 'get',
  path: environmentPath,
  tags,
  summary: 'Get what a captured environment includes and excludes',
  request: { params: environmentParams },
  responses: environmentAnswer,
})
const discardRoute = defineRoute({
  action: 'agents.manage',
  method: 'delete',
  path: environmentPath,
  tags,
  summary: 'Delete a captured environment that no agent uses',
  request: { params: environmentParams },
  responses: environmentAnswer,
})

export function agentRoutes({
  agents,
  agentDrafts,
  agentFiles,
  environments,
  installs,
  threads,
}: {
  agents: Agents
  agentDrafts: AgentDrafts
  agentFiles: AgentFiles
  environments: Environments
  installs: Installs
  threads: Pick<Threads, 'get' | 'open'>
}): Api {
  const api = makeApi()
  const userId = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId

  api.openapi(listRoute, async (context) => context.json(await agents.list(userId(context)), 200))
  api.openapi(createAgentRoute, async (context) =>
    context.json(await agents.create(userId(context), context.req.valid('json')), 201),
  )
  api.openapi(getRoute, async (context) =>
    context.json(await agents.get(userId(context), context.req.valid('param').agentId), 200),
  )
  api.openapi(updateRoute, async (context) => {
    const { agentId } = context.req.valid('param')
    return context.json(await agents.update(userId(context), agentId, context.req.valid('json')), 200)
  })
  api.openapi(currentRoute, async (context) => {
    const { agentId } = context.req.valid('param')
    return context.json(await agents.setVersion(userId(context), agentId, context.req.valid('json').version), 200)
  })
  api.openapi(deleteRoute, async (context) =>
    context.json(await agents.delete(userId(context), context.req.valid('param').agentId), 200),
  )
  api.openapi(deleteVersionRoute, async (context) => {
    const { agentId, version } = context.req.valid('param')
    return context.json(await agents.deleteVersion(userId(context), agentId, numberOf(version)), 200)
  })
  api.openapi(startRoute, async (context) => {
    const { agentId } = context.req.valid('param')
    const order = { ...context.req.valid('json'), agentId, ownerId: userId(context) }
    const { threadId } = await agents.startThread(order)
    return context.json(await threads.get(userId(context), threadId), 201)
  })
  addEnvironmentRoutes(api, { environments, threads })
  addFileRoutes(api, agentFiles)
  addDraftRoutes(api, agentDrafts)
  addOfferRoutes(api, { installs, threads })
  return api
}

function addOfferRoutes(api: Api, { installs, threads }: { installs: Installs; threads: Pick<Threads, 'open'> }): void {
  const open = threadOpener(threads.open)
  api.openapi(offerRoute, async (context) => {
    const threadId = await open(context, context.req.valid('param').threadId)
    return context.json(await installs.offer(context.get('caller').userId, threadId), 200)
  })
  api.openapi(closeOfferRoute, async (context) => {
    const threadId = await open(context, context.req.valid('param').threadId)
    return context.json(await installs.close(context.get('caller').userId, threadId), 200)
  })
}

function addFileRoutes(api: Api, agentFiles: AgentFiles): void {
  const userId = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId
  api.openapi(exportRoute, async (context) => {
    const { agentId, version } = context.req.valid('param')
    const { name, content } = await agentFiles.export(userId(context), { agentId, version: numberOf(version) })
    const headers = contentHeaders({ mediaType: 'application/octet-stream', name, isDownload: true })
    return context.newResponse(ReadableStream.from(content) as ReadableStream<Uint8Array>, 200, headers)
  })
}

function addEnvironmentRoutes(
  api: Api,
  { environments, threads }: { environments: Environments; threads: Pick<Threads, 'open'> },
): void {
  const userId = (context: Pick<ApiContext, 'get'>) => context.get('caller').userId
  api.openapi(captureRoute, async (context) => {
    const thread = await threads.open(userId(context), context.req.valid('param').threadId)
    return context.json(await environments.capture(thread, context.req.valid('json')), 201)
  })
  api.openapi(getEnvironmentRoute, async (context) =>
    context.json(await environments.get(userId(context), context.req.valid('param').environmentId), 200),
  )
  api.openapi(discardRoute, async (context) =>
    context.json(await environments.discard(userId(context), context.req.valid('param').environmentId), 200),
  )
}

/** A path segment that isn’t a number can’t name a version. */
function numberOf(version: string): number {
  if (!/^[1-9]\d{0,6}$/.test(version)) throw agentVersionNotFound({})
  return Number(version)
}
