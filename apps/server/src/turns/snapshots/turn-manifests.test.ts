import { emptyManifest, type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
/** Longer than a test can take, so that this timeout never ends a wait. */
const longMs = 600_000
beforeEach(() => startServer({ manifestTimeoutMs: longMs }))
afterEach(stopServer)

async function startServer(times: { manifestTimeoutMs: number }): Promise<void> {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath, ...times })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  await server.start()
  await host.followed()
}

async function stopServer(): Promise<void> {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
}

let keys = 0
/** Sends a message and waits for its turn, and for the turn's snapshot unless `isSnapshotLeft`. */
async function runTurn({
  bytes,
  isSnapshotLeft = false,
}: {
  bytes: number
  isSnapshotLeft?: boolean
}): Promise<string> {
  keys += 1
  host.manifest = { ...emptyManifest(), memoryBytes: bytes }
  const sent = await server.areas.turns.turns.send(threadId, {
    text: '/run true',
    attachmentIds: [],
    key: `key-of-the-test-${keys}`,
  })
  await server.areas.turns.turns.settled(threadId)
  if (!isSnapshotLeft) await server.areas.turns.snapshots.idle()
  return sent.turnId ?? ''
}

/** The `memoryBytes` of the manifest stored for the last of these turns; null: no manifest. */
async function manifestAfter(...turnIds: string[]): Promise<number | null | undefined> {
  const { snapshots } = server.areas.turns
  const snapshot = await snapshots.afterTurns(threadId, turnIds)
  return snapshot && ((await snapshots.runningStateAt(snapshot, turnIds))?.memoryBytes ?? null)
}

/** The `memoryBytes` of the manifest of a turn that used no sandbox and shares the memory of this one. */
async function runsAfterPlainTurn(turnId: string): Promise<number | null> {
  const { snapshots } = server.areas.turns
  const plain = { id: 'a-turn-without-calls', threadId }
  host.manifest = { ...emptyManifest(), memoryBytes: 2 }
  await server.areas.threads.log.append(threadId, [], (transaction) => snapshots.want(plain, transaction))
  await snapshots.turnEnded(threadId)
  const shared = await snapshots.afterTurns(threadId, [turnId])
  expect(shared?.hasMemory).toBe(true)
  expect(host.snapshots.bySandbox.size).toBe(1)
  const state = shared && (await snapshots.runningStateAt(shared, [turnId, plain.id]))
  return state?.memoryBytes ?? null
}

test('a guest that does not respond delays no next operation: the snapshot is taken without a manifest', async () => {
  await runTurn({ bytes: 1 })
  const release = host.hold('manifest')
  const turnId = await runTurn({ bytes: 2, isSnapshotLeft: true })
  await server.areas.turns.snapshots.settled(threadId)
  expect(await manifestAfter(turnId)).toBeNull()
  release()
})

test('a guest that does not respond in time is not waited for, also without a next operation', async () => {
  await stopServer()
  await startServer({ manifestTimeoutMs: 50 })
  const release = host.hold('manifest')
  const turnId = await runTurn({ bytes: 2 })
  expect(await manifestAfter(turnId)).toBeNull()
  release()
})

test('each turn has what ran at its end, also where two share a snapshot of files', async () => {
  const first = await runTurn({ bytes: 1 })
  host.snapshots.isDiskChanged = false
  const second = await runTurn({ bytes: 2 })
  expect(await manifestAfter(first)).toBe(1)
  expect(await manifestAfter(first, second)).toBe(2)
})

test('a turn without a manifest does not get that of the turn whose files it shares', async () => {
  const first = await runTurn({ bytes: 1 })
  host.snapshots.isDiskChanged = false
  const release = host.hold('manifest')
  const second = await runTurn({ bytes: 2, isSnapshotLeft: true })
  await server.areas.turns.snapshots.settled(threadId)
  release()
  expect(await manifestAfter(first, second)).toBeNull()
  expect(await manifestAfter(first)).toBe(1)
})

test('a snapshot with memory has the manifest from when the memory was taken, not of a turn that shares it', async () => {
  host.snapshots.memoryBytes = 1000
  const first = await runTurn({ bytes: 1 })
  host.snapshots.isDiskChanged = false
  expect(await runsAfterPlainTurn(first)).toBe(1)
})

test('a manifest is deleted with its snapshot', async () => {
  const first = await runTurn({ bytes: 1 })
  const second = await runTurn({ bytes: 2 })
  const removed = await server.areas.turns.snapshots.afterTurns(threadId, [first])
  await server.areas.turns.snapshots.remove(threadId, removed?.id ?? '')
  expect(removed && (await server.areas.turns.snapshots.runningStateAt(removed, [first]))).toBeNull()
  expect(await manifestAfter(second)).toBe(2)
})

test('if memory was taken without a manifest, a turn that shares it has none either', async () => {
  await stopServer()
  await startServer({ manifestTimeoutMs: 50 })
  host.snapshots.memoryBytes = 1000
  const release = host.hold('manifest')
  const first = await runTurn({ bytes: 1 })
  release()
  host.snapshots.isDiskChanged = false
  expect(await runsAfterPlainTurn(first)).toBeNull()
})
