import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ApiUnderTest } from './api-under-test.ts'

const json = (schema: object) => ({ description: 'Text', content: { 'application/json': { schema } } })
const responses = { 200: json({ type: 'object', required: ['id'] }), default: json({ type: 'object' }) }
const document = {
  openapi: '3.1.0',
  info: { title: 'wrong', version: '1' },
  servers: [{ url: '/api/v1' }],
  paths: {
    '/right': { get: { responses } },
    '/fails': { get: { responses } },
    '/unlike': { get: { responses } },
    '/threads/{threadId}': {
      get: {
        parameters: [{ name: 'threadId', in: 'path', required: true, schema: { type: 'string', minLength: 1 } }],
        responses,
      },
    },
  },
}
const own = { threadId: 'own-thread' }
const others = { threadId: 'thread-of-another' }

/** An API with one fault in each of three routes, to see that they are found. */
export async function startWrongApi(): Promise<ApiUnderTest> {
  const listener = createServer((request, response) => {
    const path = request.url?.replace('/api/v1', '') ?? ''
    const [status, body] = answer(path)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    objects: { headers: { 'x-sender': 'member' }, spare: {}, keys: {}, own, deleted: own, others },
    [Symbol.asyncDispose]: async () => {
      listener.closeAllConnections()
      await new Promise((resolve) => listener.close(resolve))
    },
  }
}

function answer(path: string): [status: number, body: object] {
  if (path === '/openapi.json') return [200, document]
  if (path === '/fails') return [500, {}]
  if (path === '/unlike') return [200, { name: 'without an id' }]
  if (path === '/right' || path === `/threads/${own.threadId}`) return [200, { id: 'x' }]
  return path === `/threads/${others.threadId}` ? [403, {}] : [404, {}]
}
