import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  makeTestApplication,
  type TestApplication,
  type TestPerson,
} from '../../../apps/server/src/application.test-utils.ts'
import { apiPage, type OpenApi, routeAnchor } from './api-page.ts'
import { prose } from './markdown.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let page: string
beforeAll(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  page = apiPage((await (await server.call('GET', '/api/v1/openapi.json')).json()) as OpenApi)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

type Request = { command: string; method: string; path: string; body: string | undefined; file: string | undefined }

/** The requests of the page as curl would send them. */
function requestsOf(text: string): Request[] {
  const commands = [...text.matchAll(/^### `(\S+) (?:(?!^### ).)*?\n```sh\n(.*?)\n```/gms)]
  return commands.map(([, method = '', command = '']) => ({
    command,
    method,
    path: /"\$url([^"]*)"/.exec(command)?.[1]?.replaceAll(/\$(\w+)/g, 'unknown') ?? '',
    body: /--json '((?:[^']|'\\'')*)'$/s
      .exec(command.replaceAll(/'"\$\w+"'/g, 'unknown'))?.[1]
      ?.replaceAll("'\\''", "'"),
    file: /--data-binary @(\S+)/.exec(command)?.[1],
  }))
}

describe('the page of the API', () => {
  it('has a request for each route that the server accepts unchanged', async () => {
    // The first one ends the session.
    const isLast = ({ path }: Request) => ['/auth/sign-out', '/auth/password'].includes(path)
    const requests = requestsOf(page).toSorted((one, other) => Number(isLast(one)) - Number(isLast(other)))
    expect(requests.length).toBeGreaterThan(150)
    for (const { command, method, path, body, file } of requests) {
      expect(command, command).toContain(method === 'GET' ? '$url' : `-X ${method}`)
      const type = /-H 'Content-Type: ([^']+)'/.exec(command)?.[1]
      // Password attempts are counted; here each request is independent.
      server.clock.now += 15 * 60_000
      const response = await server.call(method, `/api/v1${path}`, {
        person: owner,
        body: file === undefined ? body && JSON.parse(body) : new Blob(['bytes']).stream(),
        headers: type === undefined ? {} : { 'content-type': type },
      })
      const { error } = response.headers.get('content-type')?.includes('json')
        ? ((await response.clone().json()) as { error?: { code: string; message: string } })
        : {}
      await response.body?.cancel()
      if (!/^\/auth\/(sign-in|password|cookies\/restore)$/.test(path)) expect(response.status, command).not.toBe(401)
      // Ids in paths are unknown here, which routes report with their own errors.
      expect(
        ['request.invalid', 'route.not-found', 'internal.unexpected'],
        `${command}: ${error?.message}`,
      ).not.toContain(error?.code)
    }
  })

  it('has an anchor for each route, made of its method and path', () => {
    expect(routeAnchor('GET', '/threads/{threadId}/files/content')).toBe('get-threads-threadId-files-content')
    expect(page).toContain('### `GET /threads/{threadId}` {#get-threads-threadId}')
    const anchors = [...page.matchAll(/\{#([^}]+)\}$/gm)].map(([, anchor]) => anchor)
    expect(new Set(anchors).size).toBe(anchors.length)
  })
})

it('a sentence with signs of Markdown in it stays a sentence', () => {
  expect(prose('Names under *.<base> [a_b] use `a*b`.')).toBe('Names under \\*.&lt;base> \\[a\\_b\\] use `a*b`.')
})
