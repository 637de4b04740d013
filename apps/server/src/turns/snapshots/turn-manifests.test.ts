import { emptyManifest, type HostStandIn, startHostStandIn } from '@threadbox/testkit/host-stand-in'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTestApplication, type TestApplication, type TestPerson } from '../../application.test-utils.ts'

let host: HostStandIn
let server: TestApplication
let owner: TestPerson
let threadId: string
/** Longer than a test may take: what ends it is not the time. */
const longMs = 600_000
beforeEach(() => begin({ glanceMs: longMs }))
afterEach(end)

async function begin(times: { glanceMs: number }): Promise<void> {
  host = await startHostStandIn()
  server = await makeTestApplication({ hostSocket: host.socketPath, ...times })
  owner = await server.signUpOwner()
  threadId = (await server.areas.threads.threads.create(owner.userId, {})).id
  await server.start()
  await host.followed()
}

async function end(): Promise<void> {
  await server[Symbol.asyncDispose]()
  await host[Symbol.asyncDispose]()
}

let keys = 0
/** An answer to its end, with its snapshot unless that is asked to be left. */
async function say({ bytes, isSnapshotLeft = false }: { bytes: number; isSnapshotLeft?: boolean }): Promise<string> {
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

/** What is known to have run after the last of these turns, by the memory that was said to be used; null: nothing. */
async function ranAfter(...turnIds: string[]): Promise<number | null | undefined> {
  const { snapshots } = server.areas.turns
  const snapshot = await snapshots.afterTurns(threadId, turnIds)
  return snapshot && ((await snapshots.ranThen(snapshot, turnIds))?.memoryBytes ?? null)
}

test('a guest that says nothing delays nobody who goes on: the snapshot is there, and it is not known what ran', async () => {
  await say({ bytes: 1 })
  const release = host.hold('manifest')
  const turnId = await say({ bytes: 2, isSnapshotLeft: true })
  await server.areas.turns.snapshots.settled(threadId)
  expect(await ranAfter(turnId)).toBeNull()
  release()
})

test('a guest that says nothing in its time is not waited for any longer, also where nobody goes on', async () => {
  await end()
  await begin({ glanceMs: 50 })
  const release = host.hold('manifest')
  const turnId = await say({ bytes: 2 })
  expect(await ranAfter(turnId)).toBeNull()
  release()
})

test('each answer has what ran at its end, also where two of them share a snapshot of files', async () => {
  const first = await say({ bytes: 1 })
  host.snapshots.isDiskChanged = false
  const second = await say({ bytes: 2 })
  expect(await ranAfter(first)).toBe(1)
  expect(await ranAfter(first, second)).toBe(2)
})

test('an answer of which nobody wrote down what ran does not have that of the one whose files it shares', async () => {
  const first = await say({ bytes: 1 })
  host.snapshots.isDiskChanged = false
  const release = host.hold('manifest')
  const second = await say({ bytes: 2, isSnapshotLeft: true })
  await server.areas.turns.snapshots.settled(threadId)
  release()
  expect(await ranAfter(first, second)).toBeNull()
  expect(await ranAfter(first)).toBe(1)
})

test('what is known of memory is of the moment of that memory, not of an answer that shares it', async () => {
  host.snapshots.memoryBytes = 1000
  const first = await say({ bytes: 1 })
  ;[host.snapshots.memoryBytes, host.snapshots.isDiskChanged] = [null, false]
  const second = await say({ bytes: 2 })
  expect((await server.areas.turns.snapshots.afterTurns(threadId, [second]))?.hasMemory).toBe(true)
  expect(await ranAfter(first, second)).toBe(1)
})

test('it goes with its snapshot', async () => {
  const first = await say({ bytes: 1 })
  const second = await say({ bytes: 2 })
  const gone = await server.areas.turns.snapshots.afterTurns(threadId, [first])
  await server.areas.turns.snapshots.remove(threadId, gone?.id ?? '')
  expect(gone && (await server.areas.turns.snapshots.ranThen(gone, [first]))).toBeNull()
  expect(await ranAfter(second)).toBe(2)
})

test('of memory of which nobody wrote down what ran, an answer that shares it says nothing either', async () => {
  await end()
  await begin({ glanceMs: 50 })
  host.snapshots.memoryBytes = 1000
  const release = host.hold('manifest')
  const first = await say({ bytes: 1 })
  release()
  ;[host.snapshots.memoryBytes, host.snapshots.isDiskChanged] = [null, false]
  const second = await say({ bytes: 2 })
  expect((await server.areas.turns.snapshots.afterTurns(threadId, [second]))?.hasMemory).toBe(true)
  expect(await ranAfter(first, second)).toBeNull()
})
