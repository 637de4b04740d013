import { z } from '@hono/zod-openapi'
import {
  auditEventSchema,
  settingsSchema,
  setupStateSchema,
  statusSchema,
  updateSettingsSchema,
} from '@threadbox/protocol/public'
import { type Audit, ownerRequired, type Settings, type Users } from '../people/public.ts'
import {
  type Api,
  type ApiContext,
  countQuery,
  defineRoute,
  jsonAnswer,
  jsonBody,
  makeApi,
} from '../platform/http/api.ts'
import { cursorInvalid } from '../platform/http/http.errors.ts'
import type { InstallationStatus } from './status.ts'

const tags = ['installation']

const setupRoute = defineRoute({
  action: 'setup.read',
  method: 'get',
  path: '/setup',
  tags,
  summary: 'Get whether an owner exists and what is still being prepared',
  responses: { 200: jsonAnswer(setupStateSchema, 'The setup state.') },
})
const statusRoute = defineRoute({
  action: 'machine.read',
  method: 'get',
  path: '/status',
  tags,
  summary: 'Get the host, its checks, and whether a model is connected',
  request: { query: z.object({ checks: z.enum(['true', 'false']).default('false') }) },
  responses: { 200: jsonAnswer(statusSchema, 'The current status.') },
})
const settingsRoute = defineRoute({
  action: 'settings.read',
  method: 'get',
  path: '/settings',
  tags,
  summary: 'List settings',
  responses: { 200: jsonAnswer(settingsSchema, 'All settings and the sandbox limits.') },
})
const updateSettingsRoute = defineRoute({
  action: 'settings.manage',
  method: 'patch',
  path: '/settings',
  tags,
  summary: 'Update settings (owner only). null restores a default',
  request: { body: jsonBody(updateSettingsSchema) },
  responses: { 200: jsonAnswer(settingsSchema, 'All settings after the change.') },
})
const auditRoute = defineRoute({
  action: 'audit.read',
  method: 'get',
  path: '/audit',
  tags,
  summary: 'Read the audit log (owner only), newest first',
  request: {
    query: z.object({
      cursor: z
        .string()
        .regex(/^\d{1,15}\.[a-z0-9]{1,64}$/)
        .optional(),
      limit: countQuery({ default: 50, max: 200 }),
    }),
  },
  responses: {
    200: jsonAnswer(z.object({ events: z.array(auditEventSchema), next: z.string().nullable() }), 'Events.'),
  },
})

export function setupRoutes(status: InstallationStatus): Api {
  const api = makeApi()
  api.openapi(setupRoute, async (context) => context.json(await status.setup(), 200))
  return api
}

export function installationRoutes(dependencies: {
  status: InstallationStatus
  settings: Settings
  audit: Audit
  users: Users
}): Api {
  const { status, settings, audit, users } = dependencies
  const api = makeApi()
  const requireOwner = async (context: ApiContext) => {
    const { userId } = context.get('caller')
    if (!(await users.administers(userId))) throw ownerRequired({})
    return userId
  }
  api.openapi(statusRoute, async (context) => {
    return context.json(await status.now({ withChecks: context.req.valid('query').checks === 'true' }), 200)
  })
  api.openapi(settingsRoute, async (context) => context.json(await settings.view(), 200))
  api.openapi(updateSettingsRoute, async (context) => {
    const userId = await requireOwner(context)
    return context.json(await settings.update(userId, context.req.valid('json')), 200)
  })
  api.openapi(auditRoute, async (context) => {
    await requireOwner(context)
    const { cursor, limit } = context.req.valid('query')
    const events = await audit.list({ before: cursor === undefined ? null : parseCursor(cursor), limit: limit + 1 })
    const page = events.slice(0, limit)
    const last = page.at(-1)
    const next = events.length > limit && last !== undefined ? `${last.at}.${last.id}` : null
    return context.json({ events: page, next }, 200)
  })
  return api
}

function parseCursor(cursor: string): { at: number; id: string } {
  const [at, id] = cursor.split('.')
  if (at === undefined || id === undefined) throw cursorInvalid({})
  return { at: Number(at), id }
}
