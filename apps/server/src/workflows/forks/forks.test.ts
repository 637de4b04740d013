import type { Thread } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, { title: 'The source' })).id
  await server.start()
  await host.followed()
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

let keys = 0
async function say(text: string, id = threadId): Promise<string> {
  keys += 1
  const key = `key-of-the-test-${keys}`
  const { turnId } = await server.areas.turns.turns.send(id, { text, attachmentIds: [], key })
  await server.areas.turns.turns.settled(id)
  await server.areas.turns.snapshots.idle()
  return turnId
}
const fork = (body: unknown = {}, person = owner) =>
  server.call('POST', `/api/v1/threads/${threadId}/fork`, { body, person })
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
const listed = async () =>
  (await server.areas.threads.threads.list(owner.userId, { cursor: undefined, limit: 50 })).threads
const kindsOf = async (id: string) => (await server.areas.threads.log.entries(id)).map((entry) => entry.kind)

test('a fork that the host rejects leaves nothing, and the thread is unchanged', async () => {
  await say('/run true')
  const before = await server.areas.threads.log.entries(threadId)
  host.fail('fork', { code: 'sandbox.no-room-for-memory', kind: 'out-of-space' })
  expect(await codeOf(await fork())).toBe('sandbox.no-room-for-memory')
  expect((await listed()).map(({ id }) => id)).toEqual([threadId])
  expect(await server.areas.threads.log.entries(threadId)).toEqual(before)
  expect(host.sandboxes.size).toBe(1)
})

test('another user’s thread, an unknown turn and a turn without a snapshot cannot be forked', async () => {
  expect((await fork({}, await server.addPerson('other'))).status).toBe(404)
  expect(await codeOf(await fork({ turnId: 'none' }))).toBe('fork.turn-not-found')
  const turnId = await say('/run true')
  host.snapshots.bySandbox.clear()
  expect(await codeOf(await fork({ turnId }))).toBe('fork.snapshot-gone')
})

test('a fork of a thread without a sandbox has its conversation and no sandbox', async () => {
  await say('hello')
  const made = (await (await fork()).json()) as Thread
  expect(made).toMatchObject({ title: 'The source', forkedFrom: { threadId, from: 'none', turns: 1 } })
  expect(made.sandbox.state).toBe('fresh')
  expect(await kindsOf(made.id)).toEqual(await kindsOf(threadId))
  expect(host.sandboxes.size).toBe(0)
})

test('C9: a live fork has the conversation and its own sandbox, and both continue separately', async () => {
  await say('/run true')
  await server.call('PATCH', `/api/v1/threads/${threadId}`, { body: { isRead: true }, person: owner })
  const answer = await fork({ title: 'Another way' })
  expect(answer.status).toBe(201)
  const made = (await answer.json()) as Thread
  expect(made).toMatchObject({ title: 'Another way', forkedFrom: { threadId, from: 'memory', turns: 1 } })
  expect(made.sandbox.state).toBe('active')
  const [own, copied] = await Promise.all([threadId, made.id].map((id) => server.areas.threads.log.entries(id)))
  expect(copied).toHaveLength(own?.length ?? 0)
  expect(own?.at(-1)).toMatchObject({ code: 'forked-to', params: { threadId: made.id, title: 'Another way' } })
  expect(copied?.at(-2)?.kind).not.toBe('notice')
  expect((await listed()).find(({ id }) => id === threadId)?.hasUnread).toBe(false)
  const ids = new Set(own?.map(({ id }) => id))
  expect(copied?.some(({ id }) => ids.has(id))).toBe(false)
  expect(copied?.at(-1)).toMatchObject({ kind: 'notice', code: 'forked', params: { from: 'memory', threadId } })
  expect(host.sandboxes.size).toBe(2)
  await say('/run true', made.id)
  expect(await kindsOf(threadId)).toHaveLength(own?.length ?? 0)
  const rows = await Promise.all([threadId, made.id].map((id) => server.areas.sandboxes.inside.store.find(id)))
  expect(new Set(rows.map((row) => row?.boot_id)).size).toBe(2)
})
