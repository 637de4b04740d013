import { createClient } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication } from '../../apps/server/src/application.test-utils.ts'

let server: TestApplication
beforeAll(async () => {
  server = await makeTestApplication()
})
afterAll(() => server[Symbol.asyncDispose]())

type Content = { content?: Record<string, unknown>; required?: boolean }
type Operation = { requestBody?: Content; responses: Record<string, Content> }
type Document = { paths: Record<string, Record<string, Operation>> }

type Sent = 'nothing' | 'json' | 'bytes'
type Call = { route: string; sent: Sent; answer?: unknown }

const routeOf = (method: string, path: string) =>
  `${method} ${path.replace('/api/v1', '').replace(/\/id(?=\/|$)/g, '/{id}')}`

function sentBy(init: RequestInit | undefined): Sent {
  if (init?.body === undefined || init.body === null) return 'nothing'
  return new Headers(init.headers).get('content-type') === 'application/json' ? 'json' : 'bytes'
}

/** The successful response of this route, as the API describes it. */
function successOf({ responses }: Operation): { isJson: boolean; isEmpty: boolean } {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const types = Object.keys(success?.content ?? {})
  return { isJson: types.includes('application/json'), isEmpty: types.length === 0 }
}

const told = { told: true }

/** Calls every method of the client. Each call is recorded, and gets the response in `routes`. */
async function callsOfTheClient(routes: ReadonlyMap<string, Operation>): Promise<Call[]> {
  const calls: Call[] = []
  const client = createClient({
    baseUrl: 'http://test.invalid',
    fetch: (input, init) => {
      const route = routeOf(init?.method ?? 'GET', new URL(String(input)).pathname)
      calls.push({ route, sent: sentBy(init) })
      const operation = routes.get(route)
      const isEmpty = operation !== undefined && successOf(operation).isEmpty
      return Promise.resolve(isEmpty ? new Response(null, { status: 204 }) : new Response(JSON.stringify(told)))
    },
  })
  const note = (url: string) => calls.push({ route: routeOf('GET', new URL(url).pathname), sent: 'nothing' })
  const groups = Object.values(client).filter((part) => typeof part === 'object')
  for (const group of groups) {
    for (const [name, call] of Object.entries(group) as [string, (...inputs: unknown[]) => unknown][]) {
      const answer = call('id', 'id', new Uint8Array(), {})
      if (name.endsWith('Url')) note(String(answer))
      else calls.push({ ...(calls.pop() as Call), answer: await answer })
    }
  }
  for (const follow of [client.streamThread.bind(null, 'id'), client.streamUser]) {
    const once = new AbortController()
    const onStatus = ({ state }: { state: string }) => (state === 'waiting' ? once.abort() : undefined)
    await follow({ after: 0, signal: once.signal, onEvent: () => {}, onStatus })
  }
  const once = new AbortController()
  const streamSocket = (url: string) => {
    note(url)
    once.abort()
    return Object.assign(new EventTarget(), { readyState: WebSocket.CLOSED, close: () => {} }) as WebSocket
  }
  const sharing = createClient({ baseUrl: 'http://test.invalid', streamSocket })
  await sharing.streamUser({ signal: once.signal, onEvent: () => {} })
  return calls
}

async function routesOfTheApi(): Promise<Map<string, Operation>> {
  const { paths } = (await (await server.call('GET', '/api/v1/openapi.json')).json()) as Document
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => {
      return [`${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{id}')}`, operation]
    }),
  )
  return new Map(routes)
}

// The SDK has no method for these: a shared result is read at the address in its entry, and metrics by Prometheus.
const byAddress = ['GET /threads/{id}/results/{id}/{id}', 'GET /metrics']

test('the SDK and the API know the same routes', async () => {
  const routes = await routesOfTheApi()
  const calls = (await callsOfTheClient(routes)).map(({ route }) => route)
  expect([...new Set([...calls, ...byAddress])].sort()).toEqual([...routes.keys()].sort())
})

/** Bodies that the API reads raw, which its description does not describe. */
const undescribedBodies = new Set([
  'PUT /threads/{id}/uploads',
  'PUT /threads/{id}/files/content',
  'POST /skills',
  'PUT /skills/{id}/content',
  'POST /agents/import',
])

test('the SDK sends a body to every route with one, as JSON if the route takes JSON', async () => {
  const routes = await routesOfTheApi()
  const takenBy = (route: string): Sent[] => {
    const body = routes.get(route)?.requestBody
    if (body === undefined) return undescribedBodies.has(route) ? ['bytes'] : ['nothing']
    const takes = Object.keys(body.content ?? {}).includes('application/json') ? 'json' : 'bytes'
    return body.required === true ? [takes] : [takes, 'nothing']
  }
  const calls = await callsOfTheClient(routes)
  const wrong = calls.filter(({ route, sent }) => !takenBy(route).includes(sent))
  expect(wrong.map(({ route, sent }) => `${route} sends ${sent} and takes ${takenBy(route)}`)).toEqual([])
  expect(new Set(calls.map(({ sent }) => sent))).toEqual(new Set<Sent>(['nothing', 'json', 'bytes']))
})

test('the SDK returns the API’s response, and nothing for an empty response', async () => {
  const routes = await routesOfTheApi()
  const answered = (await callsOfTheClient(routes)).filter((call) => 'answer' in call)
  expect(answered.length).toBeGreaterThan(80)
  for (const { route, answer } of answered) {
    const operation = routes.get(route)
    if (operation === undefined) throw new Error(`the API has no ${route}`)
    const { isJson, isEmpty } = successOf(operation)
    if (isJson) expect(answer, route).toEqual(told)
    if (isEmpty) expect(answer, route).toBeUndefined()
  }
})
