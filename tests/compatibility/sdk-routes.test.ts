import { createClient } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication } from '../../apps/server/src/application.test-utils.ts'

let server: TestApplication
beforeAll(async () => {
  server = await makeTestApplication()
})
afterAll(() => server[Symbol.asyncDispose]())

type Document = { paths: Record<string, Record<string, unknown>> }

/** Calls every method of the client; each call is recorded and answered with an empty object. */
async function callsOfTheClient(): Promise<string[]> {
  const calls: string[] = []
  const client = createClient({
    baseUrl: 'http://test.invalid',
    fetch: (input, init) => {
      calls.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname.replace('/api/v1', '')}`)
      return Promise.resolve(new Response('{}'))
    },
  })
  const note = (url: string) => calls.push(`GET ${new URL(url).pathname.replace('/api/v1', '')}`)
  for (const group of [
    client.account,
    client.threads,
    client.workspaces,
    client.skills,
    client.agents,
    client.runs,
    client.files,
    client.git,
    client.gitCredentials,
    client.models,
    client.connections,
    client.sandboxes,
    client.services,
    client.snapshots,
    client.previews,
    client.terminals,
    client.installation,
  ]) {
    for (const [name, call] of Object.entries(group) as [string, (...inputs: unknown[]) => unknown][]) {
      const answer = call('id', 'id', new Uint8Array(), {})
      if (name.endsWith('Url')) note(String(answer))
      else await answer
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

test('the SDK and the API know the same routes', async () => {
  const { paths } = (await (await server.call('GET', '/api/v1/openapi.json')).json()) as Document
  // A shared result is read at the address that its entry names, so the SDK has no method of its own for it.
  const byAddress = 'GET /threads/{id}/results/{id}/{id}'
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{id}')}`),
  )
  const calls = (await callsOfTheClient()).map((call) => call.replace(/\/id(?=\/|$)/g, '/{id}'))
  expect([...new Set([...calls, byAddress])].sort()).toEqual(routes.sort())
})
