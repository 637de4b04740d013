import type { ThreadSnapshots } from '@threadbox/protocol/public'
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
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const list = async (id = threadId) =>
  (await (await server.call('GET', `/api/v1/threads/${id}/snapshots`, { person: owner })).json()) as ThreadSnapshots
const states = async () => (await list()).snapshots.map(({ state }) => state)
const sandboxId = async () => (await server.areas.sandboxes.inside.store.find(threadId))?.id ?? 'none'
const onHost = async () => (host.snapshots.bySandbox.get(await sandboxId()) ?? []).map(({ snapshotId }) => snapshotId)

/** Starts to follow the host. */
async function start(): Promise<void> {
  await server.start()
  await host.followed()
}

let keys = 0
/** An answer, to its end. */
async function answer(): Promise<string> {
  keys += 1
  const { turnId } = await server.areas.turns.turns.send(threadId, {
    text: '/run true',
    attachmentIds: [],
    key: `key-of-the-test-${keys}`,
  })
  await server.areas.turns.turns.settled(threadId)
  return turnId ?? 'none'
}
/** An answer, to the end of its snapshot too. */
async function say(): Promise<string> {
  const turnId = await answer()
  await server.areas.turns.snapshots.idle()
  return turnId
}

const change = (settings: Record<string, number>) =>
  server.call('PATCH', '/api/v1/settings', { body: { settings }, person: owner })

test('a thread without a computer has no snapshots, and a plain answer makes none', async () => {
  await begun('hello')
  expect(await list()).toMatchObject({ snapshots: [], usage: { count: 0, diskUsedBytes: null } })
  expect(await server.areas.sandboxes.inside.store.find(threadId)).toBeUndefined()
})

/** An answer that needs no computer. */
async function begun(text: string): Promise<void> {
  await server.areas.turns.turns.send(threadId, { text, attachmentIds: [], key: 'key-of-an-answer' })
  await server.areas.turns.turns.settled(threadId)
  await server.areas.turns.snapshots.idle()
}

test('the snapshots of another person, and one that nobody has, are not found', async () => {
  const other = await server.addPerson('other')
  const refused = await server.call('GET', `/api/v1/threads/${threadId}/snapshots`, { person: other })
  expect(refused.status).toBe(404)
  const none = await server.call('DELETE', `/api/v1/threads/${threadId}/snapshots/none`, { person: owner })
  expect(((await none.json()) as { error: { code: string } }).error.code).toBe('snapshot.not-found')
})

test('a snapshot that fails is said to have failed, with its code, and the answer is not touched by it', async () => {
  await start()
  await say()
  host.fail('takeSnapshot', { code: 'disk.snapshots-unsupported', kind: 'unsupported' })
  const turnId = await say()
  expect((await list()).snapshots[0]).toMatchObject({
    turnId,
    state: 'failed',
    problem: 'disk.snapshots-unsupported',
    id: null,
  })
  expect((await server.areas.threads.log.turn(threadId, turnId))?.status).toBe('finished')
})

test('a full disk gives up its earlier snapshots for the newest; if that does not help, it says so', async () => {
  await start()
  for (const _ of [1, 2]) await say()
  const full = { code: 'disk.no-room-for-snapshot', kind: 'out-of-space' } as const
  host.fail('takeSnapshot', full)
  await say()
  expect(await states()).toEqual(['kept', 'removed', 'removed'])
  expect(await onHost()).toHaveLength(1)
  host.fail('takeSnapshot', full, full)
  await say()
  expect(await states()).toEqual(['failed', 'removed', 'removed', 'removed'])
  expect(await onHost()).toEqual([])
})

test('a host that is away leaves the snapshot to be taken; the next answer makes it a missed one', async () => {
  await start()
  await say()
  host.fail('takeSnapshot', { code: 'host.unreachable', kind: 'unavailable' })
  await say()
  expect(await states()).toEqual(['wanted', 'kept'])
  await server.areas.turns.snapshots.recover()
  expect(await states()).toEqual(['kept', 'kept'])
  host.fail('takeSnapshot', { code: 'host.unreachable', kind: 'unavailable' })
  await say()
  await say()
  expect(await states()).toEqual(['kept', 'missed', 'kept', 'kept'])
})

test('C9: every answer that changed the disk has a snapshot of its own, the others that of the one before', async () => {
  await start()
  const first = await say()
  host.snapshots.isDiskChanged = false
  const second = await say()
  host.snapshots.isDiskChanged = true
  const third = await say()
  const { snapshots, usage } = await list()
  expect(snapshots.map(({ turnId }) => turnId)).toEqual([third, second, first])
  expect(snapshots.map(({ state }) => state)).toEqual(['kept', 'kept', 'kept'])
  expect(snapshots[1]?.id).toBe(snapshots[2]?.id)
  expect(snapshots[0]?.id).not.toBe(snapshots[1]?.id)
  expect(snapshots.map(({ writtenBytes }) => writtenBytes)).toEqual([10, 0, 10])
  expect(usage).toMatchObject({ count: 2, writtenBytes: 20, diskUsedBytes: 1000, installationCount: 2 })
  expect(await onHost()).toHaveLength(2)
})

test('a snapshot whose answer was lost is found again under its id, and none is left over', async () => {
  await start()
  let isLost = true
  host.loseAnswer = (order) => {
    const losesThis = order === 'takeSnapshot' && isLost
    if (losesThis) isLost = false
    return losesThis
  }
  await say()
  expect(await states()).toEqual(['wanted'])
  await server.areas.turns.snapshots.recover()
  const { snapshots } = await list()
  expect(snapshots).toMatchObject([{ state: 'kept' }])
  expect(await onHost()).toEqual([snapshots[0]?.id])
})

test('a list that is made while a snapshot is taken does not say that it was removed', async () => {
  await start()
  const finishTaking = host.hold('takeSnapshot')
  await answer()
  const finishListing = host.hold('snapshots')
  const first = list()
  await expect.poll(() => host.asked('snapshots')).toBe(1)
  finishTaking()
  await server.areas.turns.snapshots.idle()
  finishListing()
  expect((await first).snapshots.map(({ state }) => state)).toEqual(['wanted'])
  expect(await states()).toEqual(['kept'])
})

test('what changes the disk next waits for the snapshot, and is not in it', async () => {
  await start()
  await say()
  const release = host.hold('takeSnapshot')
  await answer()
  const next = answer()
  await expect
    .poll(async () => (await server.areas.threads.threads.get(owner.userId, threadId)).isTurnRunning)
    .toBe(true)
  expect(await states()).toEqual(['wanted', 'kept'])
  release()
  await next
  await server.areas.turns.snapshots.idle()
  expect(await states()).toEqual(['kept', 'kept', 'kept'])
})

test('beyond the limits the oldest go, at once when the limits are changed; with none allowed, none is taken', async () => {
  await start()
  for (const _ of [1, 2, 3]) await say()
  await change({ snapshotsPerThread: 2 })
  expect(await states()).toEqual(['kept', 'kept', 'removed'])
  expect(await onHost()).toHaveLength(2)
  await say()
  expect(await states()).toEqual(['kept', 'kept', 'removed', 'removed'])
  await change({ snapshotsPerThread: 0 })
  expect(await onHost()).toEqual([])
  await say()
  expect(await states()).toEqual(['removed', 'removed', 'removed', 'removed'])
})

test('memory is wanted with the snapshot of an answer that used the computer, of no other, and of none where none is kept', async () => {
  await start()
  host.snapshots.memoryBytes = 1000
  await say()
  // One that called no tool.
  const plain = { id: 'a-turn-without-calls', threadId }
  await server.areas.threads.log.append(threadId, [], (transaction) =>
    server.areas.turns.snapshots.want(plain, transaction),
  )
  await server.areas.turns.snapshots.turnEnded(threadId)
  const quarter = { maxBytes: 1024 * 1024 * 1024 }
  expect(host.snapshots.memoryOrders).toEqual([quarter, null])
  await change({ memorySnapshotsPerThread: 0 })
  await say()
  expect(host.snapshots.memoryOrders.at(-1)).toBeNull()
})

test('what is sent at once waits for no memory: the snapshot before it has files only, and says why', async () => {
  await start()
  host.snapshots.memoryBytes = 1000
  await change({ memorySnapshotQuietSeconds: 600 })
  await answer()
  await server.areas.turns.snapshots.settled(threadId)
  expect(host.snapshots.memoryOrders).toEqual([null])
  expect((await list()).snapshots).toMatchObject([{ state: 'kept', memoryBytes: null, memoryProblem: 'not-quiet' }])
  await say()
  expect(host.snapshots.memoryOrders.at(-1)).not.toBeNull()
})

test('what is sent while it is looked at what runs waits for no memory either', async () => {
  await start()
  host.snapshots.memoryBytes = 1000
  await change({ memorySnapshotQuietSeconds: 1 })
  const release = host.hold('manifest')
  const looksBefore = host.asked('manifest')
  await answer()
  // One as soon as it has ended, one when the thread was left alone.
  await expect.poll(() => host.asked('manifest') - looksBefore, { timeout: 30_000 }).toBe(2)
  await server.areas.turns.snapshots.settled(threadId)
  release()
  expect(host.snapshots.memoryOrders).toEqual([null])
  expect((await list()).snapshots).toMatchObject([{ state: 'kept', memoryBytes: null, memoryProblem: 'not-quiet' }])
})

test('why a snapshot has no memory is said, and one without is a snapshot all the same', async () => {
  await start()
  host.snapshots.memoryProblem = 'too-large'
  await say()
  expect((await list()).snapshots).toMatchObject([{ state: 'kept', memoryBytes: null, memoryProblem: 'too-large' }])
})

test('beyond the limits the oldest memory goes first, of a thread and of all; its snapshot stays', async () => {
  await start()
  host.snapshots.memoryBytes = 1000
  for (const _ of [1, 2, 3]) await say()
  const memories = async () => (await list()).snapshots.map(({ memoryBytes }) => memoryBytes)
  expect((await list()).usage).toMatchObject({ memoryCount: 3, memoryBytes: 3000, installationMemoryBytes: 3000 })
  await change({ memorySnapshotsPerThread: 2 })
  expect(await memories()).toEqual([1000, 1000, null])
  expect(await list()).toMatchObject({
    usage: { memoryCount: 2, memoryBytes: 2000 },
    limits: { memoryPerThread: 2, memoryBytes: 4 * 2 ** 30 },
    snapshots: [{}, {}, { state: 'kept', memoryProblem: 'removed' }],
  })
  await say()
  expect(await memories()).toEqual([1000, 1000, null, null])
  expect(await states()).toEqual(['kept', 'kept', 'kept', 'kept'])
  host.snapshots.memoryBytes = 600 * 1024
  await change({ memorySnapshotMebibytes: 1 })
  for (const _ of [1, 2]) await say()
  expect(await memories()).toEqual([600 * 1024, null, null, null, null, null])
  const onHost = host.snapshots.bySandbox.get(await sandboxId()) ?? []
  expect(onHost.filter(({ memoryBytes }) => memoryBytes !== null)).toHaveLength(1)
})

test('when a disk is nearly full none of its snapshots stays', async () => {
  await start()
  for (const _ of [1, 2]) await say()
  host.snapshots.usedBytes = (await server.areas.sandboxes.inside.store.find(threadId))?.disk_bytes ?? 0
  await say()
  expect(await states()).toEqual(['removed', 'removed', 'removed'])
  expect(await onHost()).toEqual([])
})

test('a snapshot is given up by hand, and one that the host has lost is not said to be kept', async () => {
  await start()
  for (const _ of [1, 2]) await say()
  const [newest, oldest] = (await list()).snapshots
  const path = `/api/v1/threads/${threadId}/snapshots/${oldest?.id}`
  expect((await server.call('DELETE', path, { person: owner })).status).toBe(200)
  expect(await onHost()).toEqual([newest?.id])
  expect(await states()).toEqual(['kept', 'removed'])
  host.snapshots.bySandbox.clear()
  expect(await states()).toEqual(['removed', 'removed'])
})
