import type { Api } from './api.ts'

type Document = ReturnType<Api['getOpenAPI31Document']>
type Schema = { $ref?: string; required?: string[] }
type Operation = { requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> } }

/** The OpenAPI document of all routes. A JSON body in which every field is optional can be left out. */
export function openApiDocument(api: Api, version: string): Document {
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'threadbox', version },
    servers: [{ url: '/api/v1' }],
    security: [{ apiKey: [] }, { session: [] }],
  })
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>
  const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path) as Operation[])
  for (const { requestBody } of operations) {
    const schema = requestBody?.content['application/json']?.schema
    if (requestBody === undefined || schema === undefined) continue
    const { required = [] } = schema.$ref === undefined ? schema : (schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})
    if (required.length === 0) requestBody.required = false
  }
  return document
}
