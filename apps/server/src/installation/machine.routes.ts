import { z } from '@hono/zod-openapi'
import { machineHistorySchema, machineSchema, machineSpans } from '@threadbox/protocol/public'
import { type Api, defineRoute, idParam, jsonAnswer, makeApi } from '../platform/http/api.ts'
import type { MachineReports } from './machine.usecases.ts'

const tags = ['machine']
const params = z.object({ sandboxId: idParam })

const machineRoute = defineRoute({
  action: 'machine.read',
  method: 'get',
  path: '/machine',
  tags,
  summary: 'Get what uses memory, disk, processors and money (owner and admins only)',
  request: { query: z.object({ checks: z.enum(['true', 'false']).default('false') }) },
  responses: {
    200: jsonAnswer(machineSchema, 'The machine now. It names people and sandboxes, never what is in them.'),
  },
})
const historyRoute = defineRoute({
  action: 'machine.read',
  method: 'get',
  path: '/machine/history',
  tags,
  summary: 'Get the machine of the last 24 hours or 30 days (owner and admins only)',
  request: { query: z.object({ span: z.enum(machineSpans).default('day') }) },
  responses: { 200: jsonAnswer(machineHistorySchema, 'The points, oldest first.') },
})
const pauseRoute = defineRoute({
  action: 'machine.stop',
  method: 'post',
  path: '/machine/sandboxes/{sandboxId}/pause',
  tags,
  summary: 'Pause any sandbox with its memory (owner and admins only). Rejected while its agent is responding',
  request: { params },
  responses: { 204: { description: 'Paused.' } },
})
const stopRoute = defineRoute({
  action: 'machine.stop',
  method: 'post',
  path: '/machine/sandboxes/{sandboxId}/stop',
  tags,
  summary: 'Stop any sandbox now (owner and admins only). Its memory is lost, its files are kept',
  request: { params },
  responses: { 204: { description: 'Stopped.' } },
})

export function machineRoutes({ machine }: { machine: MachineReports }): Api {
  const api = makeApi()
  api.openapi(machineRoute, async (context) => {
    const withChecks = context.req.valid('query').checks === 'true'
    return context.json(await machine.machine(context.get('caller').userId, { withChecks }), 200)
  })
  api.openapi(historyRoute, async (context) =>
    context.json(await machine.history(context.get('caller').userId, context.req.valid('query').span), 200),
  )
  api.openapi(pauseRoute, async (context) => {
    await machine.pause(context.get('caller').userId, context.req.valid('param').sandboxId)
    return context.body(null, 204)
  })
  api.openapi(stopRoute, async (context) => {
    await machine.stop(context.get('caller').userId, context.req.valid('param').sandboxId)
    return context.body(null, 204)
  })
  return api
}
