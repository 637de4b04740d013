import { z } from '@hono/zod-openapi'
import {
  connectionLoginSchema,
  connectionPresetSchema,
  connectionSchema,
  createConnectionSchema,
  finishLoginSchema,
  updateConnectionSchema,
  updateConnectionToolsSchema,
} from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, jsonBody, makeApi } from '../../platform/http/api.ts'
import type { Connections } from './connections.usecases.ts'
import { connectionPresets } from './presets.ts'

/** The app's page to which authorization servers redirect after sign-in. */
const loginReturnPath = '/connections/login'

const tags = ['connections']
const connectionParams = z.object({ connectionId: idParam })
const current = { 200: jsonAnswer(connectionSchema, 'The connection in its current state.') }

const listRoute = defineRoute({
  action: 'connections.read',
  method: 'get',
  path: '/connections',
  tags,
  summary: 'List your connections and those of your workspaces',
  responses: {
    200: jsonAnswer(z.object({ connections: z.array(connectionSchema) }), 'The connections, oldest first.'),
  },
})
const presetsRoute = defineRoute({
  action: 'connections.read',
  method: 'get',
  path: '/connections/presets',
  tags,
  summary: 'List popular MCP servers and what each requires',
  responses: { 200: jsonAnswer(z.object({ presets: z.array(connectionPresetSchema) }), 'The MCP servers.') },
})
const createConnectionRoute = defineRoute({
  action: 'connections.manage',
  method: 'post',
  path: '/connections',
  tags,
  summary: 'Add an MCP connection and load its tools. An unreachable server is saved with the reason',
  request: { body: jsonBody(createConnectionSchema) },
  responses: { 201: jsonAnswer(connectionSchema, 'The new connection.') },
})
const getRoute = defineRoute({
  action: 'connections.read',
  method: 'get',
  path: '/connections/{connectionId}',
  tags,
  summary: 'Get a connection',
  request: { params: connectionParams },
  responses: current,
})
const updateRoute = defineRoute({
  action: 'connections.manage',
  method: 'patch',
  path: '/connections/{connectionId}',
  tags,
  summary: 'Update a connection',
  request: { params: connectionParams, body: jsonBody(updateConnectionSchema) },
  responses: current,
})
const deleteRoute = defineRoute({
  action: 'connections.manage',
  method: 'delete',
  path: '/connections/{connectionId}',
  tags,
  summary: 'Remove a connection and its token',
  request: { params: connectionParams },
  responses: { 204: { description: 'Removed.' } },
})
const testRoute = defineRoute({
  action: 'connections.test',
  method: 'post',
  path: '/connections/{connectionId}/test',
  tags,
  summary: 'Reload a connection’s tools',
  request: { params: connectionParams },
  responses: current,
})
const startLoginRoute = defineRoute({
  action: 'connections.manage',
  method: 'post',
  path: '/connections/{connectionId}/login',
  tags,
  summary: 'Start an OAuth sign-in for a connection',
  request: { params: connectionParams },
  responses: { 200: jsonAnswer(connectionLoginSchema, 'The sign-in URL, valid for 15 minutes.') },
})
const finishLoginRoute = defineRoute({
  action: 'connections.finish-login',
  method: 'post',
  path: '/connections/login',
  tags,
  summary: 'Finish an OAuth sign-in with the authorization response',
  request: { body: jsonBody(finishLoginSchema) },
  responses: current,
})
const approveRoute = defineRoute({
  action: 'connections.manage',
  method: 'patch',
  path: '/connections/{connectionId}/tools',
  tags,
  summary: 'Set tool permissions: allow, ask or off',
  request: { params: connectionParams, body: jsonBody(updateConnectionToolsSchema) },
  responses: current,
})

/** Routes of connections. The use cases check permissions. */
export function connectionRoutes(dependencies: {
  connections: Connections
  /** The app's own origin as the browser reaches it under this `Host`. */
  originOf: (host: string) => string
}): Api {
  const { connections, originOf } = dependencies
  const api = makeApi()
  api.openapi(listRoute, async (context) =>
    context.json({ connections: await connections.list(context.get('caller').userId) }, 200),
  )
  api.openapi(presetsRoute, (context) => context.json({ presets: [...connectionPresets] }, 200))
  api.openapi(createConnectionRoute, async (context) => {
    const { userId } = context.get('caller')
    return context.json(await connections.create(userId, context.req.valid('json'), context.req.raw.signal), 201)
  })
  api.openapi(getRoute, async (context) =>
    context.json(await connections.get(context.get('caller').userId, context.req.valid('param').connectionId), 200),
  )
  api.openapi(updateRoute, async (context) => {
    const { connectionId } = context.req.valid('param')
    const { userId } = context.get('caller')
    const { signal } = context.req.raw
    return context.json(await connections.update(userId, connectionId, context.req.valid('json'), signal), 200)
  })
  api.openapi(deleteRoute, async (context) => {
    await connections.delete(context.get('caller').userId, context.req.valid('param').connectionId)
    return context.body(null, 204)
  })
  api.openapi(testRoute, async (context) => {
    const { connectionId } = context.req.valid('param')
    const { userId } = context.get('caller')
    return context.json(await connections.test(userId, connectionId, context.req.raw.signal), 200)
  })
  api.openapi(startLoginRoute, async (context) => {
    const origin = originOf(context.req.header('host') ?? new URL(context.req.url).host)
    const { connectionId } = context.req.valid('param')
    const { userId } = context.get('caller')
    return context.json(await connections.startLogin(userId, connectionId, `${origin}${loginReturnPath}`), 200)
  })
  api.openapi(finishLoginRoute, async (context) => {
    const { userId } = context.get('caller')
    return context.json(await connections.finishLogin(userId, context.req.valid('json'), context.req.raw.signal), 200)
  })
  api.openapi(approveRoute, async (context) => {
    const { connectionId } = context.req.valid('param')
    const { userId } = context.get('caller')
    return context.json(await connections.approve(userId, connectionId, context.req.valid('json').tools), 200)
  })
  return api
}
