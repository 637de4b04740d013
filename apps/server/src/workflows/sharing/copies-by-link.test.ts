import type { CreatedThreadLink, SharedThread, Thread, ThreadLinks, Workspace } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let other: TestPerson
let threadId: string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  other = await server.addPerson('other')
  threadId = (await server.areas.threads.threads.create(owner.userId, { title: 'The source' })).id
  await server.start()
  await host.followed()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

let keys = 0
async function say(text: string, id = threadId): Promise<void> {
  keys += 1
  await server.areas.turns.turns.send(id, { text, attachmentIds: [], key: `key-of-the-test-${keys}` })
  await server.areas.turns.turns.settled(id)
  await server.areas.turns.snapshots.idle()
}
async function request<Answer>(
  method: string,
  path: string,
  { body, person = owner }: { body?: unknown; person?: TestPerson } = {},
): Promise<Answer> {
  return (await (await server.call(method, `/api/v1${path}`, { body, person })).json()) as Answer
}
async function share(body: object = { allowsCopies: true }): Promise<CreatedThreadLink & { secret: string }> {
  const made = await request<CreatedThreadLink>('POST', `/threads/${threadId}/links`, {
    body: { withFiles: false, expiresInSeconds: null, ...body },
  })
  return { ...made, secret: made.url.split('/').at(-1) ?? '' }
}
type Refused = { error: { code: string } }
const preview = (secret: string, person = other) =>
  request<SharedThread & Refused>('POST', '/shared-threads/look', { body: { secret }, person })
const copy = (secret: string, person = other) =>
  request<Thread & Refused>('POST', '/shared-threads/copy', { body: { secret }, person })
const threadsOf = async ({ userId }: TestPerson) =>
  (await server.areas.threads.threads.list(userId, { cursor: undefined, limit: 50 })).threads.map(({ id }) => id)
const codesOf = async (id: string) =>
  (await server.areas.threads.log.entries(id)).flatMap((entry) => (entry.kind === 'notice' ? [entry.code] : []))

test('read-only, revoked, expired and unknown links all fail with the same error', async () => {
  const ended = await share()
  await server.call('DELETE', `/api/v1/threads/${threadId}/links/${ended.id}`, { person: owner })
  const over = await share({ allowsCopies: true, expiresInSeconds: 60 })
  const reading = await share({})
  const good = await share()
  server.clock.now += 61_000
  for (const secret of [ended.secret, over.secret, reading.secret, 'x'.repeat(43), good.id, threadId]) {
    expect((await preview(secret)).error.code).toBe('thread-link.no-copy')
    expect((await copy(secret)).error.code).toBe('thread-link.no-copy')
  }
  expect(await preview(good.secret)).toMatchObject({
    title: 'The source',
    turns: 0,
    hasComputer: false,
    copiesLeft: 20,
  })
  await server.areas.threads.threads.delete(owner.userId, threadId)
  expect((await copy(good.secret)).error.code).toBe('thread-link.no-copy')
  expect(await threadsOf(other)).toEqual([])
})

test('requests without a session create no copy and learn nothing', async () => {
  const { secret } = await share()
  for (const path of ['look', 'copy']) {
    const answer = await server.call('POST', `/api/v1/shared-threads/${path}`, { body: { secret } })
    expect(answer.status).toBe(401)
    expect(await answer.text()).not.toContain('The source')
  }
})

test('a copy belongs to its creator, is in no workspace, has the running sandbox, and does not lead either owner to the other’s thread', async () => {
  await say('/run true')
  const own = await request<Thread>('POST', `/threads/${threadId}/fork`, { body: {} })
  await say('/run true', own.id)
  const workspace = await request<Workspace>('POST', '/workspaces', { body: { name: 'Data' } })
  await request('PATCH', `/threads/${own.id}`, { body: { workspaceId: workspace.id } })
  threadId = own.id
  const { secret } = await share()
  expect(await preview(secret)).toMatchObject({ turns: 2, hasComputer: true, copiesLeft: 20 })
  const before = await codesOf(own.id)
  expect(before).toContain('forked')
  const made = await copy(secret)
  expect(made).toMatchObject({ title: 'The source', workspaceId: null, forkedFrom: { threadId: '', from: 'memory' } })
  expect(made.sandbox.state).toBe('active')
  expect(await threadsOf(other)).toEqual([made.id])
  expect(await threadsOf(owner)).not.toContain(made.id)
  expect((await server.call('GET', `/api/v1/threads/${own.id}`, { person: other })).status).toBe(404)
  expect((await server.call('GET', `/api/v1/threads/${made.id}`, { person: owner })).status).toBe(404)
  expect(await codesOf(own.id)).toEqual(before)
  expect(await codesOf(made.id)).toEqual([...before.filter((code) => code !== 'forked'), 'copied'])
  const text = JSON.stringify(await server.areas.threads.log.entries(made.id))
  for (const id of [own.id, owner.userId, workspace.id]) expect(text).not.toContain(id)
})

test('the number of copies per link is limited; a failed copy does not count', async () => {
  const { secret } = await share()
  await say('/run true')
  host.fail('fork', { code: 'sandbox.no-room-for-memory', kind: 'out-of-space' })
  expect((await copy(secret)).error.code).toBe('sandbox.no-room-for-memory')
  expect(await threadsOf(other)).toEqual([])
  const answers = await Promise.all(Array.from({ length: 22 }, () => copy(secret)))
  const refusals = answers.flatMap((answer) => ('error' in answer ? [answer.error.code] : []))
  expect(refusals).toEqual(['thread-link.copies-used-up', 'thread-link.copies-used-up'])
  const { links } = await request<ThreadLinks>('GET', `/threads/${threadId}/links`)
  expect(links).toMatchObject([{ allowsCopies: true, copiedCount: 20, copiesLeft: 0 }])
  expect(await threadsOf(other)).toHaveLength(20)
})

test('the page of a link offers a copy only if the link allows copies', async () => {
  const pageOf = async ({ url }: CreatedThreadLink) => await (await server.call('GET', new URL(url).pathname)).text()
  const copying = await share()
  expect(await pageOf(copying)).toContain(`href="/copy/${copying.secret}"`)
  expect(await pageOf(await share({}))).not.toContain('/copy/')
})
