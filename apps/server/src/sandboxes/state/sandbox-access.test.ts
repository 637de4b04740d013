import { readFile } from 'node:fs/promises'
import type { NoticeEntry, Thread } from '@threadbox/protocol/public'
import { type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'
import { tablesIn } from '../../tables.test-utils.ts'
import { limitsOf } from './sandbox-rows.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const awake = () => server.areas.sandboxes.sandboxes.awake(threadId, { reason: 'turn' })
const thread = async () =>
  (await (await server.call('GET', `/api/v1/threads/${threadId}`, { person: owner })).json()) as Thread
const notices = async () =>
  (await server.areas.threads.log.entries(threadId)).filter((entry): entry is NoticeEntry => entry.kind === 'notice')

test('an unreachable host is an error that says so, also on the chip', async () => {
  await using alone = await makeTestApplication()
  const person = await alone.signUpOwner()
  const { id } = await alone.areas.threads.threads.create(person.userId, {})
  await expect(alone.areas.sandboxes.sandboxes.awake(id, { reason: 'turn' })).rejects.toMatchObject({
    code: 'host.unreachable',
  })
  expect(await alone.areas.threads.threads.get(person.userId, id)).toMatchObject({
    sandbox: { state: 'error', detail: { code: 'host.unreachable' } },
  })
})

test('O3: a thread has no sandbox until it is needed, and concurrent calls start one boot', async () => {
  expect((await thread()).sandbox.state).toBe('fresh')
  const all = await Promise.all([awake(), awake(), awake()])
  expect(host.starts).toHaveLength(1)
  expect(host.starts[0]?.hostname).toMatch(/^threadbox-[a-z0-9]{8}$/)
  expect(new Set(all.map((sandbox) => sandbox.bootId)).size).toBe(1)
  await awake()
  expect(host.starts).toHaveLength(1)
  expect((await thread()).sandbox.state).toBe('active')
})

test('a start that the host rejects shows its reason on the chip, and the next call tries again', async () => {
  host.fail('start', { code: 'host.preparing', kind: 'unavailable' })
  await expect(awake()).rejects.toMatchObject({ code: 'host.preparing' })
  expect((await thread()).sandbox).toMatchObject({ state: 'error', detail: { code: 'host.preparing' } })
  await awake()
  expect((await thread()).sandbox).toMatchObject({ state: 'active', detail: null })
})

test('a ready boot is considered ready until the server learns of its end', async () => {
  const believed = async () => (await server.areas.sandboxes.sandboxes.believedReady(threadId))?.bootId
  expect(await believed()).toBeUndefined()
  const first = await awake()
  expect(await believed()).toBe(first.bootId)
  await server.start()
  await host.followed()
  host.endBoot(first.sandboxId, 'killed-outside')
  await expect.poll(async () => (await thread()).sandbox.state).toBe('cold')
  expect(await believed()).toBeUndefined()
  expect((await awake()).bootId).toBe(await believed())
})

test('a start ahead of a message is joined by the call that needs it, and its failure is quiet and tried again', async () => {
  const { sandboxes } = server.areas.sandboxes
  host.fail('start', { code: 'host.preparing', kind: 'unavailable' })
  sandboxes.wakeAhead(threadId)
  await expect.poll(async () => (await thread()).sandbox.state).toBe('error')
  sandboxes.wakeAhead(threadId)
  const { bootId } = await awake()
  expect((await sandboxes.believedReady(threadId))?.bootId).toBe(bootId)
  expect(host.starts).toHaveLength(2)
})

const setMemory = async (gigabytes: number) => {
  const body = { settings: { sandboxMemoryBytes: gigabytes * 1024 ** 3 } }
  expect((await server.call('PATCH', '/api/v1/settings', { body, person: owner })).status).toBe(200)
}
const memoryOf = (sandboxId: string) => (host.sandboxes.get(sandboxId)?.limits.memoryBytes ?? 0) / 1024 ** 3

test('a changed limit reaches a running sandbox, and applies to a stopped one from its next start', async () => {
  const { sandboxId } = await awake()
  await setMemory(8)
  expect(memoryOf(sandboxId)).toBe(8)
  expect((await thread()).sandbox.limits.memoryBytes).toBe(8 * 1024 ** 3)
  host.endBoot(sandboxId, 'stopped')
  await awake()
  host.endBoot(sandboxId, 'stopped')
  await server.areas.sandboxes.sandboxes.ifAwake(threadId)
  await setMemory(6)
  await awake()
  expect(memoryOf(sandboxId)).toBe(6)
})

test('a limit that changed while the host could not be reached is applied when it is back', async () => {
  const { sandboxId } = await awake()
  host.fail('change', { code: 'host.busy', kind: 'unavailable' })
  await setMemory(8)
  expect(memoryOf(sandboxId)).toBe(4)
  await server.start()
  await vi.waitFor(() => expect(memoryOf(sandboxId)).toBe(8))
})

test('clients get the thread when its last turn releases the sandbox', async () => {
  await awake()
  const reasons: (string | undefined)[] = []
  using _subscription = server.areas.people.userHub.subscribe(owner.userId, (event) => {
    if (event.type === 'thread-updated') reasons.push(event.thread.sandbox.detail?.code)
  })
  const first = server.areas.sandboxes.sandboxes.hold(threadId)
  const second = server.areas.sandboxes.sandboxes.hold(threadId)
  expect((await thread()).sandbox.detail?.code).toBe('awake.turn')
  first[Symbol.dispose]()
  expect((await thread()).sandbox.detail?.code).toBe('awake.turn')
  second[Symbol.dispose]()
  await vi.waitFor(() => expect(reasons).toEqual([undefined]))
})

test('a canceled call does not end the start for the others', async () => {
  const release = host.hold('start')
  const caller = new AbortController()
  const first = server.areas.sandboxes.sandboxes.awake(threadId, { reason: 'files', signal: caller.signal })
  const second = awake()
  caller.abort(new Error('canceled'))
  await expect(first).rejects.toThrow('canceled')
  release()
  expect((await second).sandboxId).toBe(host.starts[0]?.sandboxId)
})

test('a notice in the thread has the cause of a boot’s end, and the next call starts another boot on the same disk', async () => {
  await server.start()
  await host.followed()
  const before = await awake()
  await before.upload('/home/user/kept.txt', new TextEncoder().encode('kept'))
  host.endBoot(before.sandboxId, 'killed-inside')
  await vi.waitFor(async () => expect((await thread()).sandbox.state).toBe('cold'))
  expect(await notices()).toMatchObject([{ code: 'sandbox-stopped', params: { cause: 'killed-inside' } }])
  const after = await awake()
  expect(after.bootId).not.toBe(before.bootId)
  expect(after.sandboxId).toBe(before.sandboxId)
  const { stream } = await after.download('/home/user/kept.txt')
  expect(await new Response(stream).text()).toBe('kept')
  expect(await notices()).toHaveLength(1)
})

test('a boot that ended while the server did not follow the host is noticed at the next use', async () => {
  const before = await awake()
  host.endBoot(before.sandboxId, 'memory-backstop')
  const after = await awake()
  expect(after.bootId).not.toBe(before.bootId)
  expect(await notices()).toMatchObject([{ params: { cause: 'memory-backstop' } }])
})

test('after a restart of the server, a start in progress is completed with the same boot', async () => {
  const { store: sandboxStore, state } = server.areas.sandboxes.inside
  const { transition } = state
  const { sandboxId } = await awake()
  const begun = `b${'0'.repeat(20)}`
  host.endBoot(sandboxId, 'stopped')
  const row = await sandboxStore.find(threadId)
  if (row === undefined) throw new Error('no row')
  const cold = await transition(row, { type: 'boot-ended', end: { cause: 'restarted', manifestJson: null } })
  if (cold === undefined) throw new Error('not cold')
  await transition(cold, { type: 'start-requested', bootId: begun, limits: limitsOf(cold) })
  await server.start()
  await vi.waitFor(async () => expect((await thread()).sandbox.state).toBe('active'))
  expect(host.starts.at(-1)?.bootId).toBe(begun)
})

test('when the host daemon restarts, surviving sandboxes stay active and nothing is reported', async () => {
  await server.start()
  await host.followed()
  const before = await awake()
  host.closeConnections()
  await vi.waitFor(async () =>
    expect((await server.areas.sandboxes.sandboxes.ifAwake(threadId))?.bootId).toBe(before.bootId),
  )
  expect(await notices()).toEqual([])
})

test('C8: a file uploaded before the first start is in the sandbox when it starts, and a later one immediately', async () => {
  const put = (name: string, body: string) =>
    server.call('PUT', `/api/v1/threads/${threadId}/uploads?name=${name}`, {
      body: new Blob([body]).stream(),
      headers: { 'content-type': 'text/csv' },
      person: owner,
    })
  expect(await (await put('sales.csv', 'a,b')).json()).toMatchObject({ path: '/home/user/uploads/sales.csv' })
  const { sandboxId } = await awake()
  expect(await readFile(host.pathOf(sandboxId, '/home/user/uploads/sales.csv'), 'utf8')).toBe('a,b')
  expect(await (await put('sales.csv', 'c,d')).json()).toMatchObject({ name: 'sales (2).csv' })
  expect(await readFile(host.pathOf(sandboxId, '/home/user/uploads/sales (2).csv'), 'utf8')).toBe('c,d')
})

test('C10: a deleted thread can be restored within its undo time, and afterwards everything of it is gone', async () => {
  await server.start()
  const { sandboxId } = await awake()
  const call = (method: string, rest = '') =>
    server.call(method, `/api/v1/threads/${threadId}${rest}`, { person: owner })
  await server.call('PUT', `/api/v1/threads/${threadId}/uploads?name=a.txt`, {
    body: new Blob(['a']).stream(),
    person: owner,
  })
  expect((await call('DELETE')).status).toBe(200)
  await expect(awake()).rejects.toMatchObject({ code: 'thread.not-found' })
  expect((await call('POST', '/restore')).status).toBe(200)
  expect((await thread()).sandbox.state).toBe('active')
  expect((await call('DELETE')).status).toBe(200)
  server.clock.now += 30_000
  // The test’s clock jumped: planning anything makes the worker check again.
  await server.areas.platform.operations.plan({ kind: 'nothing', subjectId: 'x', dueAt: Number.MAX_SAFE_INTEGER })
  await vi.waitFor(async () => expect((await call('GET')).status).toBe(404))
  expect(host.deleted).toEqual([sandboxId])
  for (const table of ['sandboxes', 'attachments', 'thread_entries', 'search_documents', 'operations'] as const) {
    const rows = await tablesIn(server.open).selectFrom(table).selectAll().execute()
    expect(rows.filter((row) => JSON.stringify(row).includes(threadId))).toEqual([])
  }
  await expect(readFile(`${server.directory}/blobs/attachments/${threadId}`)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('C10: a deletion that the host could not carry out is retried until it is done', async () => {
  const { sandboxId } = await awake()
  host.fail('delete', { code: 'host.busy', kind: 'unavailable' })
  await server.call('DELETE', `/api/v1/threads/${threadId}`, { person: owner })
  server.clock.now += 30_000
  await server.start()
  await vi.waitFor(async () => {
    const [operation] = await tablesIn(server.open).selectFrom('operations').selectAll().execute()
    expect(operation).toMatchObject({ phase: 'begun', attempts: 1 })
  })
  expect(host.deleted).toEqual([])
  const restore = await server.call('POST', `/api/v1/threads/${threadId}/restore`, { person: owner })
  expect(await restore.json()).toMatchObject({ error: { code: 'thread.undo-over' } })
  server.clock.now += 60_000
  await vi.waitFor(() => expect(host.deleted).toEqual([sandboxId]), { timeout: 5000 })
})
