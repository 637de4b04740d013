import { z } from '@hono/zod-openapi'
import { usageQuerySchema, usageReportQuerySchema, usageReportSchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, jsonAnswer, makeApi } from '../../platform/http/api.ts'
import { contentHeaders } from '../../platform/http/user-content.ts'
import type { UsageReports } from './usage-report.usecases.ts'

const tags = ['usage']
const mediaType = 'text/csv'

const reportRoute = defineRoute({
  action: 'usage.read',
  method: 'get',
  path: '/usage',
  tags,
  summary: 'Get what requests to models cost in a period',
  request: { query: usageReportQuerySchema },
  responses: { 200: jsonAnswer(usageReportSchema, 'The sums, in total and by what was requested.') },
})
const csvRoute = defineRoute({
  action: 'usage.read',
  method: 'get',
  path: '/usage/csv',
  tags,
  summary: 'Download every request to a model in a period as CSV',
  request: { query: usageQuerySchema },
  responses: {
    200: {
      description: 'One line for each request, oldest first.',
      content: { [mediaType]: { schema: z.string().openapi({ format: 'binary' }) } },
    },
  },
})

export function usageRoutes({ reports }: { reports: UsageReports }): Api {
  const api = makeApi()
  api.openapi(reportRoute, async (context) =>
    context.json(await reports.report(context.get('caller').userId, context.req.valid('query')), 200),
  )
  api.openapi(csvRoute, async (context) => {
    const lines = await reports.csv(context.get('caller').userId, context.req.valid('query'))
    const stream = ReadableStream.from(encoded(lines)) as ReadableStream<Uint8Array>
    return context.newResponse(stream, 200, contentHeaders({ mediaType, name: 'usage.csv', isDownload: true }))
  })
  return api
}

async function* encoded(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const line of lines) yield encoder.encode(line)
}
