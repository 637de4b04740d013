import { z } from '@hono/zod-openapi'
import { ownerRequired } from '../people/public.ts'
import { type Api, defineRoute, makeApi } from '../platform/http/api.ts'
import type { Metrics } from './metrics.ts'

const metricsRoute = defineRoute({
  action: 'metrics.read',
  method: 'get',
  path: '/metrics',
  tags: ['installation'],
  summary: 'Get metrics in the text format of Prometheus (owner and admins only)',
  responses: {
    200: {
      description: 'The metrics. No label names a person or a thread.',
      content: { 'text/plain': { schema: z.string() } },
    },
  },
})

/** For a scraper with an API key of the scope `metrics`, from anywhere. */
export function metricsRoutes(dependencies: { metrics: Metrics; administers(userId: string): Promise<boolean> }): Api {
  const { metrics } = dependencies
  const api = makeApi()
  api.openapi(metricsRoute, async (context) => {
    if (!(await dependencies.administers(context.get('caller').userId))) throw ownerRequired({})
    return context.text(await metrics.text(), 200, { 'content-type': metrics.contentType })
  })
  return api
}
