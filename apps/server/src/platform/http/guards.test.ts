import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

let server: TestApplication
let owner: TestPerson
beforeEach(async () => {
  server = await makeTestApplication()
  owner = await server.signUpOwner()
})
afterEach(() => server[Symbol.asyncDispose]())

const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code

describe('a request', () => {
  test('from a page under another name that points here is refused, also for reading', async () => {
    const response = await server.call('GET', '/api/v1/me', { person: owner, headers: { host: 'evil.example.com' } })
    expect(response.status).toBe(403)
    expect(await codeOf(response)).toBe('request.host-refused')
  })

  test.each([
    ['another site', 'https://evil.example.com'],
    ['a preview on the same site', 'http://8000-abc.test00.localhost'],
    ['this name on another port', 'http://localhost:8080'],
    ['this name over another scheme', 'https://localhost'],
    ['a frame without an origin', 'null'],
  ])('that changes something and comes from %s is refused', async (_title, origin) => {
    const response = await server.call('POST', '/api/v1/threads', { body: {}, person: owner, headers: { origin } })
    expect(await codeOf(response)).toBe('request.origin-refused')
  })

  test('that changes something with a cookie and without an origin is refused', async () => {
    const response = await server.app.request('http://localhost/api/v1/threads', {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await codeOf(response)).toBe('request.origin-refused')
  })

  test.each(['app.test00.localhost:7717', 'localhost:7717', '127.0.0.1:7717', '[::1]:7717'])(
    'under the name %s is accepted',
    async (host) => {
      const headers = { host, origin: `http://${host}` }
      expect((await server.call('POST', '/api/v1/threads', { body: {}, person: owner, headers })).status).toBe(201)
    },
  )
})

test.each(['{"title":{"length":{"toString":1}}}', '{"title":{"length":[{"toString":1,"valueOf":2}]}}'])(
  'a body with a length that can’t be compared is not valid, and the request doesn’t fail: %s',
  async (body) => {
    const headers = { ...owner.headers, 'content-type': 'application/json', origin: 'http://localhost' }
    const response = await server.app.request('http://localhost/api/v1/threads', { method: 'POST', headers, body })
    expect(response.status).toBe(400)
    expect(await codeOf(response)).toBe('request.invalid')
  },
)

test('every response has the app’s policy and an id that links it to the log', async () => {
  const response = await server.call('GET', '/api/v1/setup')
  const policy = response.headers.get('content-security-policy')
  expect(policy).toContain("img-src 'self' data: blob:")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('threadbox-request-id')).toMatch(/^[0-9a-f-]{36}$/)
})

test('an unexpected error reveals nothing but an id', async () => {
  await server.open.database.schema.dropTable('api_keys').execute()
  const response = await server.call('GET', '/api/v1/api-keys', { person: owner })
  expect(response.status).toBe(500)
  const body = (await response.json()) as { error: { code: string; requestId: string; message: string } }
  expect(body.error).toMatchObject({ code: 'internal.unexpected', message: expect.not.stringContaining('api_keys') })
  expect(body.error.requestId).toBe(response.headers.get('threadbox-request-id'))
})

describe('the web app', () => {
  test('is served for its own URLs, cached by name, and never instead of the API', async () => {
    const directory = join(server.directory, 'web')
    await mkdir(join(directory, 'assets'), { recursive: true })
    await writeFile(join(directory, 'index.html'), '<!doctype html><title>app</title>')
    await writeFile(join(directory, 'assets/main-1a2b3c.js'), 'export {}')
    await using withWeb = await makeTestApplication({ webDirectory: directory })
    const page = await withWeb.call('GET', '/threads/t123')
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(await page.text()).toContain('<title>app</title>')
    const asset = await withWeb.call('GET', '/assets/main-1a2b3c.js')
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(asset.headers.get('content-type')).toContain('javascript')
    expect((await withWeb.call('GET', '/assets/gone.js')).status).toBe(404)
    expect(await codeOf(await withWeb.call('GET', '/api/v2/threads'))).toBe('route.not-found')
    expect((await withWeb.call('GET', '/..%2f..%2fetc/passwd')).headers.get('content-type')).not.toContain('plain')
  })
})
