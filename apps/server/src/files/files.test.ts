import { mkdir, writeFile } from 'node:fs/promises'
import type { FileEntry } from '@threadbox/protocol/public'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../application.test-utils.ts'
import { type HostStandIn, startHostStandIn } from '../sandboxes/host-stand-in.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
let real: (path: string) => string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  threadId = (await server.parts.threads.create(owner.userId, {})).id
  const { sandboxId } = await server.parts.sandboxes.awake(threadId, { reason: 'files' })
  real = (path) => host.pathOf(sandboxId, path)
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const call = (method: string, rest: string, options: { body?: unknown; headers?: Record<string, string> } = {}) =>
  server.call(method, `/api/v1/threads/${threadId}/files${rest}`, { person: owner, ...options })
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
const write = (path: string, text: string, headers: Record<string, string> = {}) =>
  call('PUT', `/content?path=${path}`, { body: new Blob([text]).stream(), headers })

test('what is not there is not found, and a folder is not read as a file', async () => {
  expect(await codeOf(await call('GET', '/content?path=/home/user/none'))).toBe('file.not-found')
  expect(await codeOf(await call('GET', '/content?path=/home/user'))).toBe('file.is-directory')
  expect(await codeOf(await call('GET', '?path=/home/user/none'))).toBe('file.not-found')
  expect(await codeOf(await call('DELETE', '?path=/home/user/none'))).toBe('file.not-found')
})

test('a file that somebody else changed is not overwritten, one that is as it was read is', async () => {
  const first = await write('/home/user/notes.md', 'one')
  const etag = first.headers.get('etag') ?? ''
  const read = await call('GET', '/content?path=/home/user/notes.md')
  expect(read.headers.get('etag')).toBe(etag)
  await writeFile(real('/home/user/notes.md'), 'changed by the agent')
  expect(await codeOf(await write('/home/user/notes.md', 'two', { 'if-match': etag }))).toBe('file.changed')
  const now = (await call('GET', '/content?path=/home/user/notes.md')).headers.get('etag') ?? ''
  expect((await write('/home/user/notes.md', 'two', { 'if-match': now })).status).toBe(200)
  expect(await codeOf(await write('/home/user/notes.md', 'x', { 'if-none-match': '*' }))).toBe('file.path-taken')
  expect(await (await call('GET', '/content?path=/home/user/notes.md')).text()).toBe('two')
})

test('a part of a file is served as a part', async () => {
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
  expect((await call('DELETE', '?path=/home/user/moved')).status).toBe(204)
  expect(await codeOf(await call('GET', '?path=/home/user/moved'))).toBe('file.not-found')
})

test('a page from the sandbox is shown without rights, and a program is saved, never shown', async () => {
  await write('/home/user/page.html', '<script>1</script>')
  await write('/home/user/tool.exe', 'MZ')
  const page = await call('GET', '/content?path=/home/user/page.html')
  expect(page.headers.get('content-security-policy')).toContain('sandbox allow-scripts')
  const tool = await call('GET', '/content?path=/home/user/tool.exe')
  expect(tool.headers.get('content-disposition')).toMatch(/^attachment/)
})
