import { join } from 'node:path'
import type { CreatedThreadLink, Entry, Thread, ThreadLinks, Workspace } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { makeDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts'
import { onBothDatabases } from '../../platform/database/both-databases.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'

const hostile = '<script>document.title="owned"</script> <img src=x onerror=alert(1)> [go](javascript:alert(1))'

onBothDatabases((target) => {
  let server: TestApplication
  let owner: TestPerson
  let threadId: string
  beforeEach(async () => {
    server = await makeTestApplication(await target())
    owner = await server.signUpOwner()
    threadId = (await request<Thread>('POST', '/threads', { title: 'Trips <b>' })).id
    await server.areas.threads.log.append(
      threadId,
      conversation(threadId).map((entry) => ({ type: 'entry-added', entry })),
    )
    const blobs = makeDirectoryBlobStore(join(server.directory, 'blobs'))
    await blobs.put(`attachments/${threadId}/a1`, new TextEncoder().encode('<script>attached</script>'))
    await blobs.put(`results/${threadId}/c1/file`, new TextEncoder().encode('shared'))
    await blobs.put(`results/${threadId}/c1/other`, new TextEncoder().encode('not named'))
  })
  afterEach(() => server[Symbol.asyncDispose]())

  const call = (method: string, path: string, body?: unknown, person = owner) =>
    server.call(method, `/api/v1${path}`, { person, body })
  const request = async <Answer>(method: string, path: string, body?: unknown, person = owner) =>
    (await (await call(method, path, body, person)).json()) as Answer
  const share = (body: object = {}) =>
    request<CreatedThreadLink>('POST', `/threads/${threadId}/links`, {
      withFiles: false,
      expiresInSeconds: null,
      ...body,
    })
  const links = async () => (await request<ThreadLinks>('GET', `/threads/${threadId}/links`)).links
  /** A request with the address and no session. */
  const visit = (url: string, headers: Record<string, string> = {}) =>
    server.call('GET', new URL(url).pathname, { headers })
  const statusOf = async (url: string) => (await visit(url)).status

  test('a thread is private: guessed addresses show nothing', async () => {
    const { url } = await share()
    const secret = url.split('/').at(-1) ?? ''
    expect(secret).toMatch(/^[\w-]{43}$/)
    expect(await statusOf(url)).toBe(200)
    const [link] = await links()
    for (const guess of [
      secret.slice(0, -1),
      `${secret}x`,
      secret.toLowerCase(),
      `${secret.startsWith('x') ? 'y' : 'x'}${secret.slice(1)}`,
      link?.id ?? '',
      threadId,
      '%00',
      '..%2f..',
    ]) {
      expect([guess, await statusOf(`http://localhost/shared/${guess}`)]).not.toEqual([guess, 200])
    }
    expect(await statusOf('http://localhost/shared/')).toBe(404)
    expect(await statusOf('http://localhost/shared')).toBe(404)
  })

  test('the secret is stored only as its SHA-256 and is returned once', async () => {
    const { url, id } = await share()
    const secret = url.split('/').at(-1) ?? ''
    const rows = await tablesIn(server.open).selectFrom('thread_links').selectAll().execute()
    expect(rows).toMatchObject([{ id }])
    expect(JSON.stringify(rows)).not.toContain(secret)
    expect(JSON.stringify(await links())).not.toContain(secret)
    const audit = await request('GET', '/audit')
    expect(JSON.stringify(audit)).toContain('thread-link-created')
    expect(JSON.stringify(audit)).not.toContain(secret)
  })

  test('the page shows the conversation and can do nothing: no script, no origin, no frame, no cache', async () => {
    const { url } = await share()
    const response = await visit(url, owner.headers)
    const page = await response.text()
    expect(page).toContain('How many trips were there?')
    expect(page).toContain('echo 42')
    expect(page).toContain('Trips &lt;b&gt;')
    expect(page).not.toContain('<script')
    expect(page).not.toContain('<img src=x')
    expect(page).not.toContain('href="javascript:')
    expect(page).not.toContain('href="/shared')
    const policy = response.headers.get('content-security-policy')?.split('; ')
    expect(policy).toEqual([
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      'sandbox allow-downloads',
    ])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('a link gives no other access: its secret does not authenticate API requests, and its address accepts no writes', async () => {
    const { url } = await share({ withFiles: true })
    const secret = url.split('/').at(-1) ?? ''
    for (const headers of [{ authorization: `Bearer ${secret}` }, { cookie: `threadbox=${secret}` }] as Record<
      string,
      string
    >[]) {
      expect((await server.call('GET', `/api/v1/threads/${threadId}`, { headers })).status).toBe(401)
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const answer = await server.call(method, `/shared/${secret}`, {})
      expect([method, answer.status]).toEqual([method, 404])
    }
  })

  test('without files none is served; with files only those that the conversation references, as downloads', async () => {
    const bare = (await share()).url
    expect(await statusOf(`${bare}/attachments/a1`)).toBe(404)
    expect(await statusOf(`${bare}/results/c1/file`)).toBe(404)
    const { url } = await share({ withFiles: true })
    const page = await (await visit(url)).text()
    const base = new URL(url).pathname
    expect(page).toContain(`href="${base}/attachments/a1"`)
    expect(page).toContain(`href="${base}/results/c1/file"`)
    const attached = await visit(`${url}/attachments/a1`)
    expect(await attached.text()).toBe('<script>attached</script>')
    expect(attached.headers.get('content-disposition')).toMatch(/^attachment; /)
    expect(attached.headers.get('content-security-policy')).toContain('sandbox')
    expect(await (await visit(`${url}/results/c1/file`)).text()).toBe('shared')
    for (const path of [
      'attachments/a2',
      'attachments/..',
      'results/c1/other',
      'results/c2/file',
      'results/c1/..%2f..%2fx',
    ]) {
      expect([path, await statusOf(`${url}/${path}`)]).toEqual([path, 404])
    }
  })

  test('a link to one thread reveals nothing about another', async () => {
    const { url } = await share({ withFiles: true })
    const other = await request<Thread>('POST', '/threads', { title: 'Other' })
    const blobs = makeDirectoryBlobStore(join(server.directory, 'blobs'))
    await blobs.put(`attachments/${other.id}/a9`, new TextEncoder().encode('secret'))
    expect(await statusOf(`${url}/attachments/a9`)).toBe(404)
    expect(await (await visit(url)).text()).not.toContain('Other')
  })

  test('a revoked link is invalid immediately; a link cannot be revoked through another thread', async () => {
    const { url, id } = await share()
    const kept = await share()
    const other = await request<Thread>('POST', '/threads', {})
    const wrong = await request<{ error: { code: string } }>('DELETE', `/threads/${other.id}/links/${id}`)
    expect(wrong.error.code).toBe('thread-link.not-found')
    expect(await statusOf(url)).toBe(200)
    expect((await call('DELETE', `/threads/${threadId}/links/${id}`)).status).toBe(204)
    expect(await statusOf(url)).toBe(404)
    expect(await statusOf(kept.url)).toBe(200)
    expect((await links()).map((link) => link.id)).toEqual([kept.id])
  })

  test('a response in progress is aborted when its link is revoked', async () => {
    const blobs = makeDirectoryBlobStore(join(server.directory, 'blobs'))
    await blobs.put(`attachments/${threadId}/a1`, new Uint8Array(8_000_000))
    const { url, id } = await share({ withFiles: true })
    const reader = (await visit(`${url}/attachments/a1`)).body?.getReader()
    await reader?.read()
    await call('DELETE', `/threads/${threadId}/links/${id}`)
    // Longer than the interval at which links are checked, and shorter than the promised 5 s.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    const rest = async () => {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read());
    }
    await expect(rest()).rejects.toThrow()
  })

  test('a link expires, and is invalid while its thread is deleted', async () => {
    const short = await share({ expiresInSeconds: 60 })
    const open = await share()
    server.clock.now += 59_000
    expect(await statusOf(short.url)).toBe(200)
    server.clock.now += 1001
    expect(await statusOf(short.url)).toBe(404)
    expect((await links()).map((link) => link.id)).toEqual([open.id])
    await call('DELETE', `/threads/${threadId}`)
    expect(await statusOf(open.url)).toBe(404)
    await call('POST', `/threads/${threadId}/restore`)
    expect(await statusOf(open.url)).toBe(200)
  })

  test('all invalid links get the same response', async () => {
    const { url, id } = await share()
    await call('DELETE', `/threads/${threadId}/links/${id}`)
    const answers = await Promise.all(
      [url, 'http://localhost/shared/nothing', `${url}/attachments/a1`].map(async (each) => {
        const response = await visit(each)
        return [response.status, await response.text(), response.headers.get('content-security-policy')]
      }),
    )
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    const inLanguage = async (language: string) => await (await visit(url, { 'accept-language': language })).text()
    expect(await inLanguage('de-DE,de;q=0.9')).toContain('Dieser Link funktioniert nicht')
    expect(await inLanguage('it-IT,it;q=0.9')).toContain('Questo link non funziona')
    expect(await inLanguage('ja')).toContain('このリンクは使えません')
  })

  test('page views are counted, also in parallel; HEAD requests are not', async () => {
    const { url } = await share()
    await Promise.all(Array.from({ length: 5 }, async () => (await visit(url)).text()))
    await server.call('HEAD', new URL(url).pathname, {})
    expect(await links()).toMatchObject([{ openedCount: 5, lastOpenedAt: server.clock.now }])
  })

  test('the number of a thread’s links is limited', async () => {
    for (let at = 0; at < 50; at += 1) await share()
    expect(await share()).toMatchObject({ error: { code: 'thread-link.limit-reached' } })
  })

  test('only users with permission to manage a thread can share it', async () => {
    const other = await server.addPerson('other')
    const { id } = await share()
    for (const [method, path, body] of [
      ['GET', `/threads/${threadId}/links`, undefined],
      ['POST', `/threads/${threadId}/links`, { withFiles: false, expiresInSeconds: null }],
      ['DELETE', `/threads/${threadId}/links/${id}`, undefined],
    ] as const) {
      const answer = await request<{ error: { code: string } }>(method, path, body, other)
      expect(answer.error.code).toBe('thread.not-found')
    }
    const workspace = await request<Workspace>('POST', '/workspaces', { name: 'Data' })
    await request('PATCH', `/threads/${threadId}`, { workspaceId: workspace.id })
    expect(await links()).toHaveLength(1)
  })
})

function conversation(threadId: string): Entry[] {
  const base = { turnId: 'n1', at: 1 }
  const call = { ...base, kind: 'tool-call', stepId: null, status: 'succeeded', startedAt: 1, endedAt: 2, error: null }
  const nothing = { tail: '', tailOffset: 0, sizeBytes: 0 }
  const attachment = {
    id: 'a1',
    name: 'trips.html',
    mediaType: 'text/html',
    sizeBytes: 25,
    path: '/home/user/uploads/trips.html',
  }
  const shared = {
    kind: 'file',
    path: '/home/user/report.txt',
    mediaType: 'text/plain',
    sizeBytes: 6,
    url: `/api/v1/threads/${threadId}/results/c1/file`,
  }
  return [
    {
      ...base,
      id: 'e1',
      kind: 'user-message',
      text: 'How many trips were there?',
      attachments: [attachment],
      status: 'delivered',
    },
    { ...base, id: 'e2', kind: 'text', stepId: 'p1', text: hostile, status: 'done' },
    { ...call, id: 'c0', tool: 'run_command', input: { command: 'echo 42' }, output: nothing, result: null },
    {
      ...call,
      id: 'c1',
      tool: 'share_file',
      input: { path: '/home/user/report.txt' },
      output: nothing,
      result: shared,
    },
  ] as Entry[]
}
