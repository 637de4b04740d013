import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTestApplication, type TestApplication } from '../../application.test-utils.ts'

const policy = "default-src 'none'; script-src 'self' 'sha256-x'"
const files = {
  'index.html': '<title>app</title>',
  'docs/content-security-policy.txt': `${policy}\n`,
  'docs/index.html': '<title>documentation</title>',
  'docs/404.html': '<title>no such page</title>',
  'docs/start/index.html': '<title>start</title>',
  'docs/it/start/index.html': '<title>inizia</title>',
  'docs/_astro/theme.1a2b.css': 'a{}',
  'docs/pagefind/pagefind.js': 'export {}',
}

let directory: string
let server: TestApplication
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'threadbox-docs-'))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, path)), { recursive: true })
    await writeFile(join(directory, path), text)
  }
  server = await makeTestApplication({ webDirectory: directory })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await rm(directory, { recursive: true })
})

const titleOf = async (response: Response) => /<title>(.*?)<\/title>/.exec(await response.text())?.[1]

describe('the documentation', () => {
  it('is served without signing in, under its own policy', async () => {
    const response = await server.call('GET', '/docs/it/start/')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(response.headers.get('content-security-policy')).toBe(policy)
    expect(await titleOf(response)).toBe('inizia')
  })

  it('redirects from its root to the browser’s language', async () => {
    const languageFor = async (acceptLanguage: string) =>
      (await server.call('GET', '/docs', { headers: { 'accept-language': acceptLanguage } })).headers.get('location')
    expect(await languageFor('it-IT,it;q=0.9,en;q=0.8')).toBe('/docs/it/')
    expect(await languageFor('fr,ja;q=0.4,en;q=0.2')).toBe('/docs/ja/')
    expect(await languageFor('en-GB')).toBe('/docs/')
    expect(await languageFor('fr')).toBe('/docs/')
    expect(await titleOf(await server.call('GET', '/docs/'))).toBe('documentation')
  })

  it('adds the slash that the links of a page need', async () => {
    const response = await server.call('GET', '/docs/start')
    expect(response.status).toBe(308)
    expect(response.headers.get('location')).toBe('/docs/start/')
  })

  it('serves its own page for an unknown URL, not the app', async () => {
    for (const address of ['/docs/none/', '/docs/none', '/docs/../index.html%2f', '/docs/%2e%2e/%2e%2e/etc/passwd']) {
      const response = await server.call('GET', address)
      expect(response.status, address).not.toBe(500)
      expect(await titleOf(response), address).not.toBe('documentation')
    }
    const missing = await server.call('GET', '/docs/none/')
    expect(missing.status).toBe(404)
    expect(await titleOf(missing)).toBe('no such page')
  })

  it('lets browsers cache files with a hash in their name, and no others', async () => {
    const cacheOf = async (address: string) => (await server.call('GET', address)).headers.get('cache-control')
    expect(await cacheOf('/docs/_astro/theme.1a2b.css')).toContain('immutable')
    expect(await cacheOf('/docs/_astro/gone.css')).toBe('no-cache')
    expect(await cacheOf('/docs/pagefind/pagefind.js')).toBe('no-cache')
    expect(await cacheOf('/docs/start/')).toBe('no-cache')
  })

  it('does not exist when the release has none', async () => {
    await rm(join(directory, 'docs/content-security-policy.txt'))
    await using other = await makeTestApplication({ webDirectory: directory })
    expect(await titleOf(await other.call('GET', '/docs/none/'))).toBe('app')
  })
})
