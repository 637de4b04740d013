import type { ThreadSnapshots } from '@threadbox/protocol/public'
import { emptyManifest, type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
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

/** Starts the server, which then follows the host. */
async function start(): Promise<void> {
  await server.start()
  await host.followed()
}

let keys = 0
/** Sends a message and waits until the turn has ended. */
async function runTurn(): Promise<string> {
  keys += 1
  const { turnId } = await server.areas.turns.turns.send(threadId, {
    text: '/run true',
    attachmentIds: [],
    key: `key-of-the-test-${keys}`,
  })
  await server.areas.turns.turns.settled(threadId)
  return turnId ?? 'none'
}
/** Sends a message and waits until the turn's snapshot is taken. */
async function runTurnWithSnapshot(): Promise<string> {
  const turnId = await runTurn()
  await server.areas.turns.snapshots.idle()
  return turnId
}

const change = (settings: Record<string, number>) =>
  server.call('PATCH', '/api/v1/settings', { body: { settings }, person: owner })

test('a thread without a sandbox has no snapshots, and a turn without tool calls takes none', async () => {
  await runPlainTurn('hello')
  expect(await list()).toMatchObject({ snapshots: [], usage: { count: 0, diskUsedBytes: null } })
  expect(await server.areas.sandboxes.inside.store.find(threadId)).toBeUndefined()
})

/** Sends a message that needs no sandbox. */
async function runPlainTurn(text: string): Promise<void> {
  await server.areas.turns.turns.send(threadId, { text, attachmentIds: [], key: 'key-of-an-answer' })
  await server.areas.turns.turns.settled(threadId)
  await server.areas.turns.snapshots.idle()
}

test('another user’s snapshots are not found, nor is an unknown snapshot', async () => {
  const other = await server.addPerson('other')
  const refused = await server.call('GET', `/api/v1/threads/${threadId}/snapshots`, { person: other })
  expect(refused.status).toBe(404)
  const none = await server.call('DELETE', `/api/v1/threads/${threadId}/snapshots/none`, { person: owner })
  expect(((await none.json()) as { error: { code: string } }).error.code).toBe('snapshot.not-found')
})

test('a failed snapshot is listed as failed with its code, and its turn still finishes', async () => {
  await start()
  await runTurnWithSnapshot()
  host.fail('takeSnapshot', { code: 'disk.snapshots-unsupported', kind: 'unsupported' })
  const turnId = await runTurnWithSnapshot()
  expect((await list()).snapshots[0]).toMatchObject({
    turnId,
    state: 'failed',
    problem: 'disk.snapshots-unsupported',
    id: null,
  })
  expect((await server.areas.threads.log.turn(threadId, turnId))?.status).toBe('finished')
})

test('a full disk deletes its earlier snapshots for the newest; if that does not help, the newest is listed as failed', async () => {
  await start()
  for (const _ of [1, 2]) await runTurnWithSnapshot()
  const full = { code: 'disk.no-room-for-snapshot', kind: 'out-of-space' } as const
  host.fail('takeSnapshot', full)
  await runTurnWithSnapshot()
  expect(await states()).toEqual(['kept', 'removed', 'removed'])
  expect(await onHost()).toHaveLength(1)
  host.fail('takeSnapshot', full, full)
  await runTurnWithSnapshot()
  expect(await states()).toEqual(['failed', 'removed', 'removed', 'removed'])
  expect(await onHost()).toEqual([])
})

test('while the host is unreachable, a snapshot stays to be taken; the next turn makes it a missed one', async () => {
  await start()
  await runTurnWithSnapshot()
  host.fail('takeSnapshot', { code: 'host.unreachable', kind: 'unavailable' })
  await runTurnWithSnapshot()
  expect(await states()).toEqual(['wanted', 'kept'])
  await server.areas.turns.snapshots.recover()
  expect(await states()).toEqual(['kept', 'kept'])
  host.fail('takeSnapshot', { code: 'host.unreachable', kind: 'unavailable' })
  await runTurnWithSnapshot()
  await runTurnWithSnapshot()
  expect(await states()).toEqual(['kept', 'missed', 'kept', 'kept'])
})

test('C9: every turn that changed the disk has its own snapshot, the others share the previous one', async () => {
  await start()
  host.manifest = { ...emptyManifest(), runsInProgress: 0 }
  const first = await runTurnWithSnapshot()
  host.snapshots.isDiskChanged = false
  const second = await runTurnWithSnapshot()
  host.snapshots.isDiskChanged = true
  const third = await runTurnWithSnapshot()
  const { snapshots, usage } = await list()
  expect(snapshots.map(({ turnId }) => turnId)).toEqual([third, second, first])
  expect(snapshots.map(({ state }) => state)).toEqual(['kept', 'kept', 'kept'])
  expect(snapshots[1]?.id).toBe(snapshots[2]?.id)
  expect(snapshots[0]?.id).not.toBe(snapshots[1]?.id)
  expect(snapshots.map(({ writtenBytes }) => writtenBytes)).toEqual([10, 0, 10])
  expect(usage).toMatchObject({ count: 2, writtenBytes: 20, diskUsedBytes: 1000, installationCount: 2 })
  expect(await onHost()).toHaveLength(2)
})

test('a snapshot whose response was lost is found under its id, and no second one is left over', async () => {
  await start()
  let isLost = true
  host.loseAnswer = (order) => {
    const losesThis = order === 'takeSnapshot' && isLost
    if (losesThis) isLost = false
    return losesThis
  }
  await runTurnWithSnapshot()
  expect(await states()).toEqual(['wanted'])
  await server.areas.turns.snapshots.recover()
  const { snapshots } = await list()
  expect(snapshots).toMatchObject([{ state: 'kept' }])
  expect(await onHost()).toEqual([snapshots[0]?.id])
})

test('a list requested while a snapshot is taken does not show it as removed', async () => {
  await start()
  const finishTaking = host.hold('takeSnapshot')
  await runTurn()
  const finishListing = host.hold('snapshots')
  const first = list()
  await expect.poll(() => host.asked('snapshots')).toBe(1)
  finishTaking()
  await server.areas.turns.snapshots.idle()
  finishListing()
  expect((await first).snapshots.map(({ state }) => state)).toEqual(['wanted'])
  expect(await states()).toEqual(['kept'])
})

test('a turn waits for the previous turn’s snapshot before it changes the disk', async () => {
  await start()
  await runTurnWithSnapshot()
  const release = host.hold('takeSnapshot')
  await runTurn()
  const next = runTurn()
  await expect
    .poll(async () => (await server.areas.threads.threads.get(owner.userId, threadId)).isTurnRunning)
    .toBe(true)
  expect(await states()).toEqual(['wanted', 'kept'])
  release()
  await next
  await server.areas.turns.snapshots.idle()
  expect(await states()).toEqual(['kept', 'kept', 'kept'])
})

test('beyond the limits the oldest are deleted, immediately when the limits change; with a limit of 0, none is taken', async () => {
  await start()
  for (const _ of [1, 2, 3]) await runTurnWithSnapshot()
  await change({ snapshotsPerThread: 2 })
  expect(await states()).toEqual(['kept', 'kept', 'removed'])
  expect(await onHost()).toHaveLength(2)
  await runTurnWithSnapshot()
  expect(await states()).toEqual(['kept', 'kept', 'removed', 'removed'])
  await change({ snapshotsPerThread: 0 })
  expect(await onHost()).toEqual([])
  await runTurnWithSnapshot()
  expect(await states()).toEqual(['removed', 'removed', 'removed', 'removed'])
})

test('only snapshots of turns that used the sandbox get memory, and none does with a limit of 0', async () => {
  await start()
  host.snapshots.memoryBytes = 1000
  await runTurnWithSnapshot()
  // A turn without tool calls.
  const plain = { id: 'a-turn-without-calls', threadId }
  await server.areas.threads.log.append(threadId, [], (transaction) =>
    server.areas.turns.snapshots.want(plain, transaction),
  )
  await server.areas.turns.snapshots.turnEnded(threadId)
  const quarter = { maxBytes: 1024 * 1024 * 1024 }
  expect(host.snapshots.memoryOrders).toEqual([null, quarter, null])
  await change({ memorySnapshotsPerThread: 0 })
  await runTurnWithSnapshot()
  expect(host.snapshots.memoryOrders.at(-1)).toBeNull()
})

test('a snapshot without memory is kept and says why', async () => {
  await start()
  host.snapshots.memoryProblem = 'too-large'
  await runTurnWithSnapshot()
  expect((await list()).snapshots).toMatchObject([{ state: 'kept', memoryBytes: null, memoryProblem: 'too-large' }])
})

test('beyond the limits the oldest memory is deleted first, per thread and overall; its snapshot stays', async () => {
  await start()
  host.snapshots.memoryBytes = 1000
  for (const _ of [1, 2, 3]) await runTurnWithSnapshot()
  const memories = async () => (await list()).snapshots.map(({ memoryBytes }) => memoryBytes)
  expect((await list()).usage).toMatchObject({ memoryCount: 3, memoryBytes: 3000, installationMemoryBytes: 3000 })
  await change({ memorySnapshotsPerThread: 2 })
  expect(await memories()).toEqual([1000, 1000, null])
  expect(await list()).toMatchObject({
    usage: { memoryCount: 2, memoryBytes: 2000 },
    limits: { memoryPerThread: 2, memoryBytes: 4 * 2 ** 30 },
    snapshots: [{}, {}, { state: 'kept', memoryProblem: 'removed' }],
  })
  await runTurnWithSnapshot()
  expect(await memories()).toEqual([1000, 1000, null, null])
  expect(await states()).toEqual(['kept', 'kept', 'kept', 'kept'])
  host.snapshots.memoryBytes = 600 * 1024
  await change({ memorySnapshotMebibytes: 1 })
  for (const _ of [1, 2]) await runTurnWithSnapshot()
  expect(await memories()).toEqual([600 * 1024, null, null, null, null, null])
  const onHost = host.snapshots.bySandbox.get(await sandboxId()) ?? []
  expect(onHost.filter(({ memoryBytes }) => memoryBytes !== null)).toHaveLength(1)
})

test('on a nearly full disk no snapshot is kept', async () => {
  await start()
  for (const _ of [1, 2]) await runTurnWithSnapshot()
  host.snapshots.usedBytes = (await server.areas.sandboxes.inside.store.find(threadId))?.disk_bytes ?? 0
  await runTurnWithSnapshot()
  expect(await states()).toEqual(['removed', 'removed', 'removed'])
  expect(await onHost()).toEqual([])
})

test('a snapshot can be deleted, and one that the host has lost is not listed as kept', async () => {
  await start()
  for (const _ of [1, 2]) await runTurnWithSnapshot()
  const [newest, oldest] = (await list()).snapshots
  const path = `/api/v1/threads/${threadId}/snapshots/${oldest?.id}`
  expect((await server.call('DELETE', path, { person: owner })).status).toBe(200)
  expect(await onHost()).toEqual([newest?.id])
  expect(await states()).toEqual(['kept', 'removed'])
  host.snapshots.bySandbox.clear()
  expect(await states()).toEqual(['removed', 'removed'])
})
