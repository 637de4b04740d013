import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { FileEntry, FilesPage, UserEvent } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
let real: (path: string) => string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  const { sandboxId } = await server.areas.sandboxes.sandboxes.awake(threadId, { reason: 'files' })
  real = (path) => host.pathOf(sandboxId, path)
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const call = (method: string, rest: string, options: { body?: unknown; headers?: Record<string, string> } = {}) =>
  server.call(method, `/api/v1/threads/${threadId}/files${rest}`, { person: owner, ...options })
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
type Refused = { error: { code: string; details: { version: string | null } } }
const write = (path: string, text: string, headers: Record<string, string> = {}) =>
  call('PUT', `/content?path=${path}`, { body: new Blob([text]).stream(), headers })

test('a missing file is not found, and a folder is not read as a file', async () => {
  expect(await codeOf(await call('GET', '/content?path=/home/user/none'))).toBe('file.not-found')
  expect(await codeOf(await call('GET', '/content?path=/home/user'))).toBe('file.is-directory')
  expect(await codeOf(await call('GET', '?path=/home/user/none'))).toBe('file.not-found')
  expect(await codeOf(await call('DELETE', '?path=/home/user/none'))).toBe('file.not-found')
})

test('a file that changed since it was read is not overwritten, an unchanged one is', async () => {
  const first = await write('/home/user/notes.md', 'one')
  const etag = first.headers.get('etag') ?? ''
  const read = await call('GET', '/content?path=/home/user/notes.md')
  expect(read.headers.get('etag')).toBe(etag)
  await writeFile(real('/home/user/notes.md'), 'changed by the agent')
  const refused = (await (await write('/home/user/notes.md', 'two', { 'if-match': etag })).json()) as Refused
  expect(refused.error.code).toBe('file.changed')
  const now = (await call('GET', '/content?path=/home/user/notes.md')).headers.get('etag') ?? ''
  expect(refused.error.details.version).toBe(now)
  expect((await write('/home/user/notes.md', 'two', { 'if-match': now })).status).toBe(200)
  expect(await codeOf(await write('/home/user/notes.md', 'x', { 'if-none-match': '*' }))).toBe('file.path-taken')
  expect(await (await call('GET', '/content?path=/home/user/notes.md')).text()).toBe('two')
})

test('a range of a file is served as partial content', async () => {
  await write('/home/user/digits.txt', '0123456789')
  const response = await call('GET', '/content?path=/home/user/digits.txt', { headers: { range: 'bytes=2-5' } })
  expect(response.status).toBe(206)
  expect(response.headers.get('content-range')).toBe('bytes 2-5/10')
  expect(await response.text()).toBe('2345')
})

test('a folder is listed, made, moved without overwriting, and removed', async () => {
  await mkdir(real('/home/user/data'), { recursive: true })
  const { entries } = (await (await call('GET', '?path=/home/user/data')).json()) as { entries: FileEntry[] }
  expect(entries).toEqual([])
  await write(`/home/user/data/${encodeURIComponent('a b & c.csv')}`, 'xyz')
  const listed = (await (await call('GET', '?path=/home/user/data')).json()) as { entries: FileEntry[] }
  expect(listed.entries).toMatchObject([{ name: 'a b & c.csv', type: 'file', sizeBytes: 3 }])
  expect((await call('POST', '/folders', { body: { path: '/home/user/more' } })).status).toBe(201)
  const taken = { from: '/home/user/data', to: '/home/user/more' }
  expect(await codeOf(await call('POST', '/move', { body: taken }))).toBe('file.path-taken')
  const free = { from: '/home/user/data', to: '/home/user/moved' }
  expect(await (await call('POST', '/move', { body: free })).json()).toMatchObject({ path: '/home/user/moved' })
  expect(await (await call('DELETE', '?path=/home/user/moved')).json()).toMatchObject({
    path: '/home/user/moved',
    type: 'directory',
  })
  expect(await codeOf(await call('GET', '?path=/home/user/moved'))).toBe('file.not-found')
})

test('a page from the sandbox is shown without rights, and a program is downloaded, never shown', async () => {
  await write('/home/user/page.html', '<script>1</script>')
  await write('/home/user/tool.exe', 'MZ')
  const page = await call('GET', '/content?path=/home/user/page.html')
  expect(page.headers.get('content-security-policy')).toContain('sandbox allow-scripts')
  const tool = await call('GET', '/content?path=/home/user/tool.exe')
  expect(tool.headers.get('content-disposition')).toMatch(/^attachment/)
})

test('a deleted file is not created again by a conditional write', async () => {
  const etag = (await write('/home/user/gone.md', 'one')).headers.get('etag') ?? ''
  await call('DELETE', '?path=/home/user/gone.md')
  const refused = (await (await write('/home/user/gone.md', 'two', { 'if-match': etag })).json()) as Refused
  expect(refused.error).toMatchObject({ code: 'file.changed', details: { version: null } })
})

test('folders that the sandbox needs are neither removed nor moved, in any notation', async () => {
  for (const path of ['/', '/home/user', '/home/user/', '/home/user/x/..', '//home']) {
    expect(await codeOf(await call('DELETE', `?path=${path}`))).toBe('file.folder-protected')
    expect(await codeOf(await call('POST', '/move', { body: { from: path, to: '/tmp/x' } }))).toBe(
      'file.folder-protected',
    )
  }
})

test('a large folder comes in pages, sorted by name, each entry once', async () => {
  const names = Array.from({ length: 25 }, (_, index) => `${index} 🙂\n.txt`).toSorted()
  for (const name of names) await writeFile(real(`/home/user/${name}`), 'x')
  const seen: string[] = []
  for (let after: string | null = ''; after !== null; ) {
    const answer = await call('GET', `?path=/home/user&limit=10&after=${encodeURIComponent(after)}`)
    const page = (await answer.json()) as FilesPage
    expect(page.total).toBe(25)
    seen.push(...page.entries.map(({ name }) => name))
    after = page.next
  }
  expect(seen).toEqual(names)
})

test('C8: the files of a sleeping sandbox are read without waking it, and can be saved afterwards', async () => {
  await write('/home/user/a.txt', '0123456789')
  const { sandboxId } = await server.areas.sandboxes.sandboxes.awake(threadId, { reason: 'files' })
  const etag = (await call('GET', '/content?path=/home/user/a.txt')).headers.get('etag')
  await server.call('POST', `/api/v1/threads/${threadId}/sandbox/pause`, { person: owner })
  const page = (await (await call('GET', '?path=/home/user&wake=false')).json()) as FilesPage
  expect(page).toMatchObject({ total: 1, entries: [{ name: 'a.txt', type: 'file', sizeBytes: 10, version: etag }] })
  const part = await call('GET', '/content?path=/home/user/a.txt&wake=false', { headers: { range: 'bytes=2-4' } })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
  const whole = await call('GET', '/content?path=/home/user/a.txt&wake=false')
  expect([whole.headers.get('etag'), await whole.text()]).toEqual([etag, '0123456789'])
  expect(await codeOf(await call('GET', '/content?path=/home/user&wake=false'))).toBe('file.is-directory')
  const only = encodeURIComponent('["a.txt"]')
  expect(await (await call('GET', `/archive?path=/home/user&only=${only}`)).text()).toBe('zip of /home/user: ["a.txt"]')
  expect((await call('PUT', '/watch', { body: { paths: ['/home/user'] } })).status).toBe(204)
  expect(host.sandboxes.get(sandboxId)?.actual).toBe('paused')
  expect((await write('/home/user/a.txt', 'woken by it', { 'if-match': etag ?? '' })).status).toBe(200)
})

test('reading the files of a thread without a sandbox creates none', async () => {
  const empty = await server.areas.threads.threads.create(owner.userId, {})
  for (const rest of ['?path=/home/user', '/entry?path=/home/user', '/content?path=/home/user/a.txt']) {
    const answer = await server.call('GET', `/api/v1/threads/${empty.id}/files${rest}&wake=false`, { person: owner })
    expect(await codeOf(answer)).toBe('sandbox.not-awake')
  }
  expect(host.starts).toHaveLength(1)
})

test('a change in a watched folder is sent to the person who watches it', async () => {
  const received = Promise.withResolvers<UserEvent>()
  using _listening = server.areas.people.userHub.subscribe(owner.userId, (event) => {
    if (event.type === 'files-changed') received.resolve(event)
  })
  expect((await call('PUT', '/watch', { body: { paths: ['/home/user', '/home/user/none'] } })).status).toBe(204)
  await writeFile(real('/home/user/new.txt'), 'x')
  expect(await received.promise).toEqual({ type: 'files-changed', threadId, path: '/home/user' })
})

test('C8: files and folders are copied from another thread of the same person, and nothing is overwritten', async () => {
  const other = (await server.areas.threads.threads.create(owner.userId, {})).id
  const { sandboxId } = await server.areas.sandboxes.sandboxes.awake(other, { reason: 'files' })
  const theirs = (path: string) => host.pathOf(sandboxId, path)
  await mkdir(theirs('/home/user/folder/inner'), { recursive: true })
  await writeFile(theirs('/home/user/folder/inner/deep\n.txt'), 'deep')
  await writeFile(theirs('/home/user/single.txt'), 'single')
  const copy = (paths: string[], fromThreadId = other) =>
    call('POST', '/copies', { body: { fromThreadId, paths, to: '/home/user' } })
  const copied = await (await copy(['/home/user/folder', '/home/user/single.txt'])).json()
  expect(copied).toEqual({ files: 2, bytes: 10, skipped: [] })
  expect(await readFile(real('/home/user/folder/inner/deep\n.txt'), 'utf8')).toBe('deep')
  expect(await readFile(real('/home/user/single.txt'), 'utf8')).toBe('single')
  await writeFile(theirs('/home/user/new.txt'), 'new')
  expect(await codeOf(await copy(['/home/user/new.txt', '/home/user/single.txt']))).toBe('file.path-taken')
  expect(await codeOf(await call('GET', '/entry?path=/home/user/new.txt'))).toBe('file.not-found')
  expect(await codeOf(await copy(['/home/user/none']))).toBe('file.not-found')
})

test('C8: nothing is copied from someone else’s thread', async () => {
  const stranger = await server.addPerson('stranger')
  const theirs = (await server.areas.threads.threads.create(stranger.userId, {})).id
  const body = { fromThreadId: theirs, paths: ['/etc/hostname'], to: '/home/user' }
  expect(await codeOf(await call('POST', '/copies', { body }))).toBe('thread.not-found')
})
