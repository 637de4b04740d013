import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeId } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import type { ThreadSnapshots } from '@threadbox/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sandboxIdsOf, startInstallation, type TestInstallation, type TestThread } from '../stack/installation.ts'

const MiB = 1024 * 1024

/** What is kept of a disk at the end of each turn, over the real stack. */
let installation: TestInstallation
beforeAll(async () => {
  installation = await startInstallation({ serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' } })
})
afterAll(() => installation[Symbol.asyncDispose]())

async function say(thread: TestThread, command: string): Promise<string> {
  const { turn, calls } = await thread.say(`/run ${command}`)
  expect(calls[0]?.status, command).toBe('succeeded')
  return turn.id
}

/** The snapshots once none is being taken. */
async function settled(thread: TestThread): Promise<ThreadSnapshots> {
  for (;;) {
    const list = await installation.client.snapshots.list(thread.id)
    if (!list.snapshots.some(({ state }) => state === 'wanted')) return list
    await delay(20)
  }
}

async function ofTurn(thread: TestThread, turnId: string) {
  const found = (await settled(thread)).snapshots.find((snapshot) => snapshot.turnId === turnId)
  if (found === undefined) throw new Error(`the answer ${turnId} has no snapshot`)
  return found
}

async function newSandbox(): Promise<{ thread: TestThread; sandboxId: string }> {
  const before = new Set(await sandboxIds())
  const thread = await installation.newThread()
  await say(thread, 'true')
  const sandboxId = (await sandboxIds()).find((id) => !before.has(id))
  if (sandboxId === undefined) throw new Error('a command started no sandbox')
  return { thread, sandboxId }
}

const sandboxIds = () => sandboxIdsOf(installation)

/** A file in a snapshot, read on the machine. */
function fileIn(sandboxId: string, snapshotId: string | null, name: string): Promise<string> {
  const disk = path.join(installation.host.diskDirectory, 'pool/disks', sandboxId)
  return readFile(path.join(disk, 'snapshots', snapshotId ?? 'none', 'root', name), 'utf8')
}

async function poolUsedBytes(): Promise<number> {
  const { body } = await installation.host.request('GET', hostPaths.info())
  return (body as { poolUsedBytes: number }).poolUsedBytes
}

test('a full disk keeps no snapshots, so that deleting frees space; later it has some again', async () => {
  const { thread, sandboxId } = await newSandbox()
  await installation.client.sandboxes.change(thread.id, { limits: { diskBytes: 512 * MiB } })
  await say(thread, 'echo kept > /home/user/note; head -c 100M /dev/urandom > /home/user/early')
  await say(thread, 'rm /home/user/early; head -c 100M /dev/urandom > /home/user/second')
  const full = await say(thread, 'head -c 2G /dev/urandom > /home/user/fill; sync; true')
  const count = async () => (await settled(thread)).usage.count
  await expect.poll(count, { timeout: 60_000, interval: 200 }).toBe(0)
  expect(['removed', 'failed']).toContain((await ofTurn(thread, full)).state)
  // Deleting frees space in the same turn: no snapshot holds the data.
  const again =
    'rm /home/user/fill; sync; for i in $(seq 300); do head -c 300M /dev/urandom > /home/user/again && exit 0; sleep 0.5; done; exit 1'
  const { calls } = await thread.say(`/run ${again}`)
  expect(calls[0]?.result).toMatchObject({ exitCode: 0 })
  await say(thread, 'rm /home/user/again; sync')
  const relieved = async () => await ofTurn(thread, await say(thread, 'true'))
  await expect.poll(relieved, { timeout: 120_000, interval: 1000 }).toMatchObject({ state: 'kept' })
  expect((await settled(thread)).usage.diskLimitBytes).toBe(512 * MiB)
  expect(await fileIn(sandboxId, (await relieved()).id, 'home/user/note')).toBe('kept\n')
})

test('C9: each turn that changed the disk has a snapshot with the disk’s content at that time, which pauses leave alone', async () => {
  const { thread, sandboxId } = await newSandbox()
  const turns: string[] = []
  for (const round of [1, 2, 3]) turns.push(await say(thread, `echo ${round} > /home/user/note`))
  const snapshots = await Promise.all(turns.map((turnId) => ofTurn(thread, turnId)))
  expect(snapshots.map(({ state }) => state)).toEqual(['kept', 'kept', 'kept'])
  for (const [index, { id }] of snapshots.entries()) {
    expect(await fileIn(sandboxId, id, 'home/user/note')).toBe(`${index + 1}\n`)
  }
  await installation.client.sandboxes.pause(thread.id)
  await installation.client.sandboxes.wake(thread.id)
  expect(await fileIn(sandboxId, snapshots[0]?.id ?? '', 'home/user/note')).toBe('1\n')
  expect((await settled(thread)).usage.count).toBeGreaterThanOrEqual(3)
})

test('C9: a snapshot of a paused sandbox leaves its disk as its memory expects it', async () => {
  const { thread, sandboxId } = await newSandbox()
  await say(thread, 'echo first > /home/user/note')
  await settled(thread)
  await installation.client.sandboxes.pause(thread.id)
  const snapshotId = makeId('snapshot', randomBytes)
  const taken = await installation.host.request('POST', hostPaths.snapshots(sandboxId), { snapshotId })
  expect(taken).toMatchObject({ status: 200, body: { isNew: true } })
  expect(await fileIn(sandboxId, snapshotId, 'home/user/note')).toBe('first\n')
  await installation.host.killSandbox(sandboxId)
  const { bootId } = (await installation.host.request('GET', hostPaths.get(sandboxId))).body as { bootId: string }
  const woken = await installation.host.request('POST', hostPaths.wake(sandboxId), { bootId })
  expect(woken).toMatchObject({ status: 200 })
})

test('C9: a host daemon that is killed while it takes a snapshot leaves no incomplete one, and it is taken afterwards', async () => {
  const { thread, sandboxId } = await newSandbox()
  const { host } = installation
  await say(thread, 'echo first > /home/user/note')
  await settled(thread)
  for (let round = 0; round < 3; round++) {
    await thread.say(`/run echo round ${round} > /home/user/note`)
    await host.kill('SIGKILL')
    await host.restart()
    const list = await settled(thread)
    const onHost = (await host.request('GET', hostPaths.snapshots(sandboxId))).body as {
      snapshots: { snapshotId: string }[]
    }
    const known = new Set(list.snapshots.flatMap(({ id }) => id ?? []))
    expect(onHost.snapshots.map(({ snapshotId }) => snapshotId).sort()).toEqual([...known].sort())
    expect(list.snapshots[0]?.state).toBe('kept')
    expect(await fileIn(sandboxId, list.snapshots[0]?.id ?? '', 'home/user/note')).toBe(`round ${round}\n`)
  }
})

test('C9: many snapshots take the space that was really written; beyond the limits the oldest are removed, and their space is freed', async () => {
  const before = await poolUsedBytes()
  const { thread, sandboxId } = await newSandbox()
  await settled(thread)
  const first = (await settled(thread)).usage.diskUsedBytes ?? 0
  const rounds = 8
  for (let round = 0; round < rounds; round++) {
    await say(thread, `head -c ${2 * MiB} /dev/urandom > /home/user/same; sync`)
  }
  const { usage } = await settled(thread)
  expect(usage.count).toBeGreaterThanOrEqual(rounds)
  const grown = (usage.diskUsedBytes ?? 0) - first
  expect(grown).toBeGreaterThanOrEqual(rounds * 2 * MiB)
  expect(grown).toBeLessThanOrEqual(1.2 * rounds * 2 * MiB)
  await installation.client.installation.updateSettings({ settings: { snapshotsPerThread: 2 } })
  const left = await settled(thread)
  expect(left.usage.count).toBe(2)
  const used = async () => (await installation.client.snapshots.list(thread.id)).usage.diskUsedBytes ?? 0
  await expect.poll(used, { timeout: 120_000, interval: 500 }).toBeLessThan(first + 3 * 2 * MiB)
  await installation.client.installation.updateSettings({ settings: { snapshotsPerThread: null } })
  await installation.client.threads.delete(thread.id)
  await expect.poll(sandboxIds, { timeout: 120_000, interval: 500 }).not.toContain(sandboxId)
  await expect.poll(poolUsedBytes, { timeout: 120_000, interval: 500 }).toBeLessThan(before + 8 * MiB)
})
