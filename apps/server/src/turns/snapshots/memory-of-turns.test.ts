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
  await server.start()
  await host.followed()
  host.snapshots.memoryBytes = 1000
  await server.call('PATCH', '/api/v1/settings', {
    body: { settings: { memorySnapshotQuietSeconds: 600 } },
    person: owner,
  })
})
afterEach(async () => {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
})

const nothing = () => ({ ...emptyManifest(), runsInProgress: 0 })
const something = () => ({ ...nothing(), memoryFiles: [{ path: '/dev/shm/x', bytes: 1, changedAt: 1 }] })
const unreachable = { code: 'host.unreachable', kind: 'unavailable' } as const

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
  await expect.poll(async () => (await list()).every(({ state }) => state === 'kept')).toBe(true)
  return turnId ?? 'none'
}

const list = async () => {
  const answer = await server.call('GET', `/api/v1/threads/${threadId}/snapshots`, { person: owner })
  return ((await answer.json()) as ThreadSnapshots).snapshots
}
const problems = async () => (await list()).map(({ memoryProblem }) => memoryProblem)
const onHost = async () => {
  const sandbox = await server.areas.sandboxes.inside.store.find(threadId)
  return (host.snapshots.bySandbox.get(sandbox?.id ?? '') ?? []).map(({ snapshotId, memoryBytes }) => ({
    snapshotId,
    memoryBytes,
  }))
}
const { idle, settled, recover, afterTurns } = {
  idle: () => server.areas.turns.snapshots.idle(),
  settled: () => server.areas.turns.snapshots.settled(threadId),
  recover: () => server.areas.turns.snapshots.recover(),
  afterTurns: (turnId: string) => server.areas.turns.snapshots.afterTurns(threadId, [turnId]),
}

test('C9: after a turn in which nothing runs, one snapshot of files is all, immediately, and counts as complete', async () => {
  host.manifest = nothing()
  const turnId = await runTurn()
  expect(await problems()).toEqual(['nothing-ran'])
  await idle()
  expect(host.snapshots.memoryOrders).toEqual([null])
  expect(await afterTurns(turnId)).toMatchObject({ hasMemory: false, hadNothing: true })
})

test('C9: also where no memory is kept, a turn after which nothing runs counts as complete, and another one does not', async () => {
  await server.call('PATCH', '/api/v1/settings', { body: { settings: { memorySnapshotsPerThread: 0 } }, person: owner })
  host.manifest = nothing()
  const first = await runTurn()
  host.manifest = something()
  const second = await runTurn()
  expect(await afterTurns(first)).toMatchObject({ hasMemory: false, hadNothing: true })
  expect(await afterTurns(second)).toMatchObject({ hasMemory: false, hadNothing: false })
})

test('C9: files are kept immediately; memory follows once the thread is idle, with a snapshot in place of the first', async () => {
  host.manifest = something()
  const turnId = await runTurn()
  const [files] = await list()
  expect(files).toMatchObject({ memoryBytes: null, memoryProblem: 'not-yet', writtenBytes: 10 })
  await idle()
  const [kept] = await list()
  expect(kept).toMatchObject({ turnId, memoryBytes: 1000, memoryProblem: null, writtenBytes: 20 })
  expect(kept?.id).not.toBe(files?.id)
  expect(await onHost()).toEqual([{ snapshotId: kept?.id, memoryBytes: 1000 }])
  expect(await afterTurns(turnId)).toMatchObject({ id: kept?.id, hasMemory: true })
})

test('an earlier turn keeps the snapshot of files that it shares with one whose memory is saved', async () => {
  host.manifest = nothing()
  const first = await runTurn()
  host.manifest = something()
  host.snapshots.isDiskChanged = false
  const second = await runTurn()
  const [shared] = await list()
  expect((await list()).map(({ id }) => id)).toEqual([shared?.id, shared?.id])
  await idle()
  expect(await afterTurns(first)).toMatchObject({ id: shared?.id, hasMemory: false, hadNothing: true })
  expect(await afterTurns(second)).toMatchObject({ hasMemory: true })
  expect(await onHost()).toHaveLength(2)
})

test('a turn in which something else runs does not share memory of an earlier one', async () => {
  host.manifest = something()
  const first = await runTurn()
  await idle()
  host.snapshots.isDiskChanged = false
  host.manifest = nothing()
  const second = await runTurn()
  expect(await afterTurns(first)).toMatchObject({ hasMemory: true })
  expect(await afterTurns(second)).toMatchObject({ hasMemory: false, hadNothing: true })
})

test('a turn without calls has memory of its own if a program wrote to the disk, and otherwise shares that of the turn before', async () => {
  host.manifest = something()
  await runTurn()
  await idle()
  const endPlainTurn = async (id: string) => {
    await server.areas.threads.log.append(threadId, [], (transaction) =>
      server.areas.turns.snapshots.want({ id, threadId }, transaction),
    )
    await server.areas.turns.snapshots.turnEnded(threadId)
    await idle()
  }
  host.snapshots.isDiskChanged = false
  await endPlainTurn('a-turn-without-calls')
  expect(await onHost()).toHaveLength(1)
  host.snapshots.isDiskChanged = true
  await endPlainTurn('another-turn-without-calls')
  expect((await onHost()).map(({ memoryBytes }) => memoryBytes)).toEqual([1000, 1000])
})

test('what ended before memory was saved leaves its files of that later moment', async () => {
  host.manifest = something()
  const turnId = await runTurn()
  host.manifest = nothing()
  await idle()
  expect(await problems()).toEqual(['nothing-ran'])
  expect(host.snapshots.memoryOrders).toEqual([null, null])
  expect(await onHost()).toEqual([{ snapshotId: (await afterTurns(turnId))?.id, memoryBytes: null }])
})

test('an operation that begins before memory is saved waits for nothing, and the record says so', async () => {
  host.manifest = something()
  await runTurn()
  await settled()
  await expect.poll(problems).toEqual(['not-quiet'])
  await runTurn()
  await expect.poll(problems).toEqual(['not-yet', 'not-quiet'])
  await idle()
  expect(host.snapshots.memoryOrders.filter((order) => order !== null)).toHaveLength(1)
})

test('a message that arrives while the guest is asked what runs waits for no memory either', async () => {
  await server.call('PATCH', '/api/v1/settings', {
    body: { settings: { memorySnapshotQuietSeconds: 1 } },
    person: owner,
  })
  host.manifest = something()
  const readsBefore = host.asked('manifest')
  await runTurn()
  const release = host.hold('manifest')
  await expect.poll(() => host.asked('manifest') - readsBefore, { timeout: 30_000 }).toBe(2)
  await settled()
  release()
  expect(host.snapshots.memoryOrders).toEqual([null])
  await expect.poll(problems).toEqual(['not-quiet'])
})

test('while the host is away, memory stays to be saved, and is saved when it is back', async () => {
  host.manifest = something()
  await runTurn()
  host.fail('takeSnapshot', unreachable)
  await idle()
  expect(await problems()).toEqual(['not-yet'])
  await recover()
  await idle()
  expect(await problems()).toEqual([null])
  expect(await onHost()).toHaveLength(1)
})

test.each(['takeSnapshot', 'removeSnapshot'] as const)(
  'a response to %s that is lost while memory is saved leaves no second snapshot',
  async (order) => {
    host.manifest = something()
    await runTurn()
    let isLost = true
    host.loseAnswer = (made) => {
      const losesThis = made === order && isLost
      if (losesThis) isLost = false
      return losesThis
    }
    await idle()
    await recover()
    await idle()
    expect(await problems()).toEqual([null])
    expect(await onHost()).toEqual([{ snapshotId: (await list())[0]?.id, memoryBytes: 1000 }])
  },
)

test('memory that could not be saved leaves the files, and the record says why', async () => {
  host.manifest = something()
  await runTurn()
  host.fail('takeSnapshot', { code: 'disk.no-room-for-snapshot', kind: 'out-of-space' })
  await idle()
  expect(await problems()).toEqual(['no-room'])
  await runTurn()
  host.fail('takeSnapshot', { code: 'internal', kind: 'internal' })
  await idle()
  expect(await problems()).toEqual(['not-saved', 'no-room'])
  expect((await list()).map(({ state }) => state)).toEqual(['kept', 'kept'])
})

const busy = { code: 'host.busy', kind: 'conflict' } as const

test('while the host has more urgent work, memory waits, and is saved when it has none', async () => {
  await server.call('PATCH', '/api/v1/settings', {
    body: { settings: { memorySnapshotQuietSeconds: 1 } },
    person: owner,
  })
  host.manifest = something()
  await runTurn()
  host.fail('takeSnapshot', busy, busy)
  await expect.poll(problems, { timeout: 30_000 }).toEqual([null])
  expect(await onHost()).toHaveLength(1)
})

test('a message that arrives while memory waits for the host waits for nothing', async () => {
  await server.call('PATCH', '/api/v1/settings', {
    body: { settings: { memorySnapshotQuietSeconds: 1 } },
    person: owner,
  })
  host.manifest = something()
  await runTurn()
  const orders = host.asked('takeSnapshot')
  host.fail('takeSnapshot', ...Array.from({ length: 20 }, () => busy))
  await expect.poll(() => host.asked('takeSnapshot'), { timeout: 30_000 }).toBeGreaterThan(orders)
  await settled()
  await expect.poll(problems).toEqual(['not-quiet'])
})

test('beyond the hour’s limit, memory waits; a message that arrives before it is saved leaves it out, and the record says so', async () => {
  const MiB = 1024 * 1024
  const change = (settings: Record<string, number>) =>
    server.call('PATCH', '/api/v1/settings', { body: { settings }, person: owner })
  await change({ memorySnapshotQuietSeconds: 0, memorySnapshotMebibytesPerThreadHour: 3 })
  host.manifest = { ...something(), memoryBytes: 2 * MiB }
  host.snapshots.memoryBytes = 2 * MiB
  await runTurn()
  await runTurn()
  expect(await problems()).toEqual(['not-yet', null])
  // A server that stops leaves it to the next one.
  await idle()
  expect(await problems()).toEqual(['not-yet', null])
  await recover()
  await settled()
  await expect.poll(problems).toEqual(['left-out', null])
  expect(host.snapshots.memoryOrders.filter((order) => order !== null)).toHaveLength(1)
  await change({ memorySnapshotMebibytesPerThreadHour: 4 })
  await runTurn()
  await idle()
  expect(await problems()).toEqual([null, 'left-out', null])
})

test('the hour’s limit for all threads counts those of each other, also after a restart', async () => {
  await server.call('PATCH', '/api/v1/settings', {
    body: { settings: { memorySnapshotMebibytesPerHour: 1 } },
    person: owner,
  })
  host.manifest = { ...something(), memoryBytes: 1000 }
  host.snapshots.memoryBytes = 1000
  await runTurn()
  await idle()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  host.manifest = { ...something(), memoryBytes: 1024 * 1024 }
  await runTurn()
  await idle()
  expect(await problems()).toEqual(['not-yet'])
})
