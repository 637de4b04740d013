import type { CreatedApiKey, ThreadSnapshots, UserEvent } from '@threadbox/protocol/public'
import { emptyManifest, type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

const MiB = 1024 * 1024
let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
beforeEach(async () => {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath })
  owner = await server.signUpOwner()
  threadId = await newThread()
  await server.start()
  await host.followed()
  host.snapshots.memoryBytes = 1000
  const nothing = { ...emptyManifest(), runsInProgress: 0 }
  host.manifest = { ...nothing, memoryFiles: [{ path: '/dev/shm/x', bytes: 1, changedAt: 1 }] }
  await change({ memorySnapshotQuietSeconds: 600 })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const newThread = async () => (await server.areas.threads.threads.create(owner.userId, {})).id
const change = (settings: Record<string, number>) =>
  server.call('PATCH', '/api/v1/settings', { body: { settings }, person: owner })
const snapshotsPath = () => `/api/v1/threads/${threadId}/snapshots`
const order = (method: 'PUT' | 'DELETE', turnId: string, headers?: TestPerson) =>
  server.call(method, `${snapshotsPath()}/pins/${turnId}`, { person: headers ?? owner })
const pin = async (turnId: string) => expect((await order('PUT', turnId)).status).toBe(200)
const unpin = async (turnId: string) => expect((await order('DELETE', turnId)).status).toBe(200)
const codeOf = async (response: Response) => ((await response.json()) as { error: { code: string } }).error.code
const list = async () =>
  ((await (await server.call('GET', snapshotsPath(), { person: owner })).json()) as ThreadSnapshots).snapshots
const problems = async () => (await list()).map(({ memoryProblem }) => memoryProblem)
const memories = async () => (await list()).map(({ memoryBytes }) => memoryBytes)
const states = async () => (await list()).map(({ state }) => state)
const pins = async () => (await list()).map(({ isPinned }) => isPinned)
const idle = () => server.areas.turns.snapshots.idle()
const savesOfMemory = () => host.snapshots.memoryOrders.filter((memory) => memory !== null).length

let keys = 0
/** Sends a message and waits until its turn has ended and its files are kept. */
async function runTurn(text = '/run true'): Promise<string> {
  keys += 1
  const { turnId } = await server.areas.turns.turns.send(threadId, {
    text,
    attachmentIds: [],
    key: `key-of-the-test-${keys}`,
  })
  await server.areas.turns.turns.settled(threadId)
  await expect.poll(async () => (await states())[0]).toBe('kept')
  return turnId ?? 'none'
}
/** The same, and waits until its memory is saved. */
async function runTurnWithMemory(): Promise<string> {
  const turnId = await runTurn()
  await idle()
  return turnId
}

test('C9: memory that waits for the thread to be idle is saved once its turn is pinned, and only once', async () => {
  const turnId = await runTurn()
  expect(await problems()).toEqual(['not-yet'])
  await pin(turnId)
  await expect.poll(memories).toEqual([1000])
  await idle()
  expect(savesOfMemory()).toBe(1)
  expect(await list()).toMatchObject([{ turnId, isPinned: true, memoryProblem: null, writtenBytes: 20 }])
})

test('C9: pinning a turn that made no call saves the memory of the turn whose snapshot it shares', async () => {
  await runTurn()
  host.snapshots.isDiskChanged = false
  // Without a model, the engine records no snapshot for a message that needs no sandbox.
  const plain = await runTurn('hello')
  await server.areas.threads.log.append(threadId, [], (transaction) =>
    server.areas.turns.snapshots.want({ id: plain, threadId }, transaction),
  )
  await server.areas.turns.snapshots.turnEnded(threadId)
  expect(await problems()).toEqual([null, 'not-yet'])
  host.snapshots.isDiskChanged = true
  await pin(plain)
  await expect.poll(memories).toEqual([1000, 1000])
  expect(savesOfMemory()).toBe(1)
})

test('C9: a message that is sent after the pin waits until the memory is saved', async () => {
  const turnId = await runTurn()
  const release = host.hold('takeSnapshot')
  await pin(turnId)
  const next = runTurn()
  await expect.poll(() => host.asked('takeSnapshot')).toBe(2)
  release()
  await next
  expect(await problems()).toEqual(['not-yet', null])
  expect(await memories()).toEqual([null, 1000])
})

test('C9: a pinned turn is never left out for the limit of the hour, and others count its memory', async () => {
  await change({ memorySnapshotQuietSeconds: 0, memorySnapshotMebibytesPerThreadHour: 3 })
  host.manifest = { ...(host.manifest ?? expect.unreachable()), memoryBytes: 2 * MiB }
  host.snapshots.memoryBytes = 2 * MiB
  await runTurn()
  const second = await runTurn()
  expect(await problems()).toEqual(['not-yet', null])
  await pin(second)
  await expect.poll(problems).toEqual([null, null])
  await change({ memorySnapshotMebibytesPerThreadHour: 5 })
  await runTurn()
  expect(await problems()).toEqual(['not-yet', null, null])
})

test('while the host has more urgent work, memory of a pinned turn does not wait for it', async () => {
  await change({ memorySnapshotQuietSeconds: 1 })
  const turnId = await runTurn()
  const busy = { code: 'host.busy', kind: 'conflict' } as const
  host.fail('takeSnapshot', busy)
  await expect.poll(() => host.asked('takeSnapshot'), { timeout: 30_000 }).toBe(2)
  await pin(turnId)
  await expect.poll(memories).toEqual([1000])
})

test('a pin while the thread is used saves no memory, and keeps the files', async () => {
  const turnId = await runTurn()
  const release = host.hold('takeSnapshot')
  const next = runTurn()
  await expect.poll(() => host.asked('takeSnapshot')).toBe(2)
  // It waits until the files of the next turn are kept.
  const pinned = pin(turnId)
  release()
  await Promise.all([next, pinned])
  expect((await list())[1]).toMatchObject({ state: 'kept', isPinned: true })
  await expect.poll(async () => (await list())[1]?.memoryProblem).toBe('not-quiet')
})

test('after a crash, or while the host was away, memory of a pinned turn is saved when the host is back', async () => {
  const turnId = await runTurn()
  host.fail('takeSnapshot', { code: 'host.unreachable', kind: 'unavailable' })
  await pin(turnId)
  await expect.poll(() => host.asked('takeSnapshot')).toBe(2)
  await expect.poll(async () => (await list())[0]).toMatchObject({ isPinned: true, memoryProblem: 'not-yet' })
  await server.areas.turns.snapshots.recover()
  await expect.poll(memories).toEqual([1000])
  expect(await onHost()).toHaveLength(1)
})

const onHost = async () => {
  const sandbox = await server.areas.sandboxes.inside.store.find(threadId)
  return host.snapshots.bySandbox.get(sandbox?.id ?? '') ?? []
}

test('C9: limits never remove a pinned snapshot or its memory; once it is unpinned, they apply immediately', async () => {
  const first = await runTurnWithMemory()
  await pin(first)
  for (const _ of [1, 2, 3]) await runTurnWithMemory()
  await change({ snapshotsPerThread: 2, memorySnapshotsPerThread: 1, memorySnapshotMebibytes: 1 })
  expect(await states()).toEqual(['kept', 'kept', 'removed', 'kept'])
  expect(await memories()).toEqual([1000, null, null, 1000])
  await unpin(first)
  expect(await states()).toEqual(['kept', 'kept', 'removed', 'removed'])
  expect(await onHost()).toHaveLength(2)
})

test('memory alone is removed again once its turn is unpinned', async () => {
  const first = await runTurnWithMemory()
  await pin(first)
  await change({ memorySnapshotsPerThread: 1 })
  await runTurnWithMemory()
  expect(await memories()).toEqual([1000, 1000])
  await unpin(first)
  expect(await memories()).toEqual([1000, null])
  expect(await problems()).toEqual([null, 'removed'])
})

test('a full disk keeps what is pinned, and nothing else', async () => {
  await pin(await runTurnWithMemory())
  await runTurnWithMemory()
  host.fail('takeSnapshot', { code: 'disk.no-room-for-snapshot', kind: 'out-of-space' })
  await runTurn()
  expect(await states()).toEqual(['kept', 'removed', 'kept'])
  host.snapshots.usedBytes = (await server.areas.sandboxes.inside.store.find(threadId))?.disk_bytes ?? 0
  await server.areas.turns.turns.send(threadId, { text: '/run true', attachmentIds: [], key: 'on-a-full-disk' })
  await server.areas.turns.turns.settled(threadId)
  await idle()
  expect(await states()).toEqual(['removed', 'removed', 'removed', 'kept'])
})

test('a thread has up to 5 pinned turns; pinning one of them again is no other one', async () => {
  const turnIds: string[] = []
  for (const _ of [1, 2, 3, 4, 5, 6]) turnIds.push(await runTurn())
  const [first, ...others] = turnIds
  for (const turnId of others) await pin(turnId)
  await pin(others[0] ?? '')
  const refused = await order('PUT', first ?? '')
  expect([refused.status, await codeOf(refused)]).toEqual([409, 'snapshot.pin-limit-reached'])
  await unpin(others[0] ?? '')
  await pin(first ?? '')
  expect(await pins()).toEqual([true, true, true, true, false, true])
})

test('pinned snapshots of all threads take at most half of the space, and the one that goes beyond it', async () => {
  await change({ memorySnapshotMebibytes: 4 })
  host.snapshots.memoryBytes = 1.5 * MiB
  for (const _ of [1, 2]) {
    await pin(await runTurnWithMemory())
    threadId = await newThread()
  }
  const refused = await order('PUT', await runTurnWithMemory())
  expect([refused.status, await codeOf(refused)]).toEqual([507, 'snapshot.pins-too-large'])
  await change({ memorySnapshotMebibytes: 6 })
  await pin((await list())[0]?.turnId ?? '')
})

test('a turn without a snapshot cannot be pinned, nor can an unknown one, nor one of another user or with a key that only reads', async () => {
  const turnId = await runTurn()
  for (const method of ['PUT', 'DELETE'] as const) {
    expect(await codeOf(await order(method, 'unknown'))).toBe('snapshot.not-found')
    expect(await codeOf(await order(method, turnId, await server.addPerson(`other-${method}`)))).toBe(
      'thread.not-found',
    )
    await server.confirm(owner)
    const body = { name: 'reads', scopes: ['read'] }
    const created = await server.call('POST', '/api/v1/api-keys', { body, person: owner })
    const { secret } = (await created.json()) as CreatedApiKey
    const byKey = { userId: owner.userId, headers: { authorization: `Bearer ${secret}` } }
    expect(await codeOf(await order(method, turnId, byKey))).toBe('auth.scope-missing')
  }
  const [snapshot] = await list()
  await server.call('DELETE', `${snapshotsPath()}/${snapshot?.id}`, { person: owner })
  expect(await codeOf(await order('PUT', turnId))).toBe('snapshot.not-kept')
  expect(await pins()).toEqual([false])
})

test('a pinned snapshot that a person deletes is gone, and no longer counts as pinned', async () => {
  const turnId = await runTurnWithMemory()
  await pin(turnId)
  await server.call('DELETE', `${snapshotsPath()}/${(await list())[0]?.id}`, { person: owner })
  expect(await list()).toMatchObject([{ state: 'removed', isPinned: false }])
})

test('a turn stays pinned until a rewind that undid it can no longer be undone', async () => {
  const first = await runTurnWithMemory()
  const second = await runTurnWithMemory()
  await pin(second)
  const turns = await server.areas.turns.history.turnsFrom(threadId, 0)
  const entryId = turns.find(({ id }) => id === second)?.userEntryId ?? ''
  const rewind = async () =>
    await server.call('POST', `/api/v1/threads/${threadId}/rewind`, { body: { entryId }, person: owner })
  const { rewindId } = (await (await rewind()).json()) as { rewindId: string }
  await change({ snapshotsPerThread: 1 })
  await server.call('POST', `/api/v1/threads/${threadId}/rewind/undo`, { body: { rewindId }, person: owner })
  expect(await list()).toMatchObject([
    { turnId: second, state: 'kept', isPinned: true, memoryBytes: 1000 },
    { turnId: first },
  ])
})

test('a turn that a rewind undid is no longer pinned once the conversation continues', async () => {
  await runTurnWithMemory()
  const second = await runTurnWithMemory()
  await pin(second)
  const turns = await server.areas.turns.history.turnsFrom(threadId, 0)
  const entryId = turns.find(({ id }) => id === second)?.userEntryId ?? ''
  await server.call('POST', `/api/v1/threads/${threadId}/rewind`, { body: { entryId }, person: owner })
  await runTurnWithMemory()
  await change({ snapshotsPerThread: 1 })
  expect(await onHost()).toHaveLength(1)
})

test('the preview of a rewind says whether the turn that the thread returns to is pinned', async () => {
  const first = await runTurnWithMemory()
  const second = await runTurn()
  const turns = await server.areas.turns.history.turnsFrom(threadId, 0)
  const entryId = turns.find(({ id }) => id === second)?.userEntryId ?? ''
  const preview = async () =>
    (await (
      await server.call('GET', `/api/v1/threads/${threadId}/rewind?before=${entryId}`, { person: owner })
    ).json()) as {
      isPinned: boolean
    }
  expect((await preview()).isPinned).toBe(false)
  await pin(first)
  expect((await preview()).isPinned).toBe(true)
})

test('pages of the thread are notified of a pin and of its removal', async () => {
  const events: UserEvent[] = []
  using _ = server.areas.people.userHub.subscribe(owner.userId, (event) => events.push(event))
  const turnId = await runTurn()
  await pin(turnId)
  await unpin(turnId)
  const updated = events.filter(({ type }) => type === 'snapshots-updated')
  expect(updated).toEqual([
    { type: 'snapshots-updated', threadId },
    { type: 'snapshots-updated', threadId },
  ])
})
