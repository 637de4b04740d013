import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeId } from '@threadbox/domain'
import { hostPaths, hostSnapshotsSchema, type TakenSnapshot } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { type HostUnderTest, startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, codeOf, ordersOf } from '../memory/memory.test-utils.ts'

function snapshotsOf(host: HostUnderTest, sandboxId: string) {
  const newId = () => makeId('snapshot', randomBytes)
  const take = (snapshotId = newId()) => host.request('POST', hostPaths.snapshots(sandboxId), { snapshotId })
  const diskFile = async (name: string) => path.join((await host.disks.getDisk(sandboxId)).path, name)
  return {
    newId,
    take,
    taken: async (snapshotId?: string): Promise<TakenSnapshot> => {
      const answer = await take(snapshotId)
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
      return answer.body as TakenSnapshot
    },
    list: async () =>
      hostSnapshotsSchema.parse((await host.request('GET', hostPaths.snapshots(sandboxId))).body).snapshots,
    remove: (snapshotId: string) => host.request('DELETE', hostPaths.removeSnapshot(sandboxId, snapshotId)),
    /** The snapshots on the machine, whatever the records say. */
    onDisk: async () => (await host.disks.listSnapshots(sandboxId)).map(({ snapshotId }) => snapshotId),
    write: async (name: string, text: string) => writeFile(await diskFile(name), text),
    /** What a file contains in a snapshot. */
    read: async (snapshotId: string, name: string) => {
      const all = await host.disks.listSnapshots(sandboxId)
      const found = all.find((one) => one.snapshotId === snapshotId)
      return await readFile(path.join(found?.path ?? '/nowhere', name), 'utf8')
    },
    diskFile,
  }
}

async function killAt(step: `${'before' | 'after'} ${string}`, order: 'take' | 'remove') {
  const host = await startHostUnderTest(answeringGuest())
  const { sandboxId, bootId } = await host.startSandbox()
  const snapshots = snapshotsOf(host, sandboxId)
  await snapshots.write('note', 'first')
  const { snapshot: first } = await snapshots.taken()
  await snapshots.write('note', 'second')
  const reached = host.hangAt(step)
  const ordered = order === 'take' ? snapshots.take() : snapshots.remove(first.snapshotId)
  ordered.catch(() => undefined)
  await reached
  await host.killAndRestart()
  return { host, sandboxId, bootId, snapshots, first }
}

test('a snapshot of an unknown sandbox, under no id, or under the id of another one is refused', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const { sandboxId } = await host.startSandbox()
  const snapshots = snapshotsOf(host, sandboxId)
  expect(codeOf(await snapshotsOf(host, host.newSandboxId()).take())).toEqual([404, 'sandbox.not-found'])
  for (const bad of ['', '../x', 'd1']) expect(codeOf(await snapshots.take(bad))).toEqual([400, 'host.request-invalid'])
  const { snapshot } = await snapshots.taken()
  const other = await host.startSandbox()
  const stolen = snapshotsOf(host, other.sandboxId)
  expect(codeOf(await stolen.take(snapshot.snapshotId))).toEqual([409, 'snapshot.id-taken'])
  expect((await stolen.remove(snapshot.snapshotId)).status).toBe(204)
  expect(await snapshots.onDisk()).toEqual([snapshot.snapshotId])
})

test('a snapshot that cannot be made leaves nothing, and the next one works under the same id', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const snapshots = snapshotsOf(host, sandbox.sandboxId)
  const { snapshotDisk } = host.disks
  host.disks.snapshotDisk = async () => {
    throw new Error('the disk is full')
  }
  const snapshotId = snapshots.newId()
  expect((await snapshots.take(snapshotId)).status).toBe(500)
  expect(await snapshots.list()).toEqual([])
  host.disks.snapshotDisk = snapshotDisk
  expect(await snapshots.taken(snapshotId)).toMatchObject({ isNew: true, snapshot: { snapshotId } })
  expect(await ordersOf(host, sandbox).state()).toMatchObject({ actual: 'ready', bootId: sandbox.bootId })
})

test('C9: later writes are not in a snapshot; without a change none is made; the same order is done once', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const { sandboxId } = await host.startSandbox()
  const snapshots = snapshotsOf(host, sandboxId)
  await snapshots.write('note', 'first')
  const first = await snapshots.taken()
  expect(first.isNew).toBe(true)
  expect(await snapshots.taken()).toMatchObject({ isNew: false, snapshot: first.snapshot })
  await snapshots.write('note', 'second')
  await snapshots.write('large', 'x'.repeat(100_000))
  const second = await snapshots.taken()
  expect(second.isNew).toBe(true)
  expect(second.snapshot.writtenBytes).toBeGreaterThanOrEqual(100_000)
  expect(await snapshots.taken(second.snapshot.snapshotId)).toMatchObject({ snapshot: second.snapshot })
  expect((await snapshots.list()).map(({ snapshotId }) => snapshotId)).toEqual([
    first.snapshot.snapshotId,
    second.snapshot.snapshotId,
  ])
  expect(await snapshots.read(first.snapshot.snapshotId, 'note')).toBe('first')
  expect(await snapshots.read(second.snapshot.snapshotId, 'note')).toBe('second')
})

test('a snapshot of a paused sandbox has what the pause had, and its memory can still be used', async () => {
  await using host = await startHostUnderTest({ ...answeringGuest(), keepsFrozen: false })
  const sandbox = await host.startSandbox()
  const [snapshots, orders] = [snapshotsOf(host, sandbox.sandboxId), ordersOf(host, sandbox)]
  await snapshots.write('note', 'before the pause')
  await orders.pause()
  const { snapshot, isNew } = await snapshots.taken()
  expect(isNew).toBe(true)
  expect(await snapshots.read(snapshot.snapshotId, 'note')).toBe('before the pause')
  expect(await orders.wake()).toMatchObject({ status: 200, body: { from: 'memory' } })
})

test('snapshots outlive pauses and demotions, which keep one point of their own', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const [snapshots, orders] = [snapshotsOf(host, sandbox.sandboxId), ordersOf(host, sandbox)]
  await snapshots.write('note', 'first')
  const { snapshot } = await snapshots.taken()
  for (const _ of [1, 2]) {
    await orders.pause()
    await orders.wake()
  }
  await orders.pause()
  await orders.demote()
  await expect.poll(snapshots.onDisk).toHaveLength(2)
  expect(await snapshots.onDisk()).toContain(snapshot.snapshotId)
  expect(await snapshots.read(snapshot.snapshotId, 'note')).toBe('first')
})

test('a removed snapshot is gone from machine and records, and removing it again succeeds', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const { sandboxId } = await host.startSandbox()
  const snapshots = snapshotsOf(host, sandboxId)
  const { snapshot } = await snapshots.taken()
  for (const _ of [1, 2]) expect((await snapshots.remove(snapshot.snapshotId)).status).toBe(204)
  expect([await snapshots.list(), await snapshots.onDisk()]).toEqual([[], []])
  await snapshots.taken()
  await host.request('DELETE', hostPaths.get(sandboxId))
  expect(await host.disks.listDisks()).toEqual([])
})

test('a disk whose last snapshot is gone from the machine counts as changed', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const { sandboxId } = await host.startSandbox()
  const snapshots = snapshotsOf(host, sandboxId)
  const { snapshot } = await snapshots.taken()
  await host.disks.deleteSnapshot({ diskId: sandboxId, snapshotId: snapshot.snapshotId })
  expect(await snapshots.taken()).toMatchObject({ isNew: true })
})

test.each([
  'before disks.mayDifferFromSnapshot',
  'before disks.snapshotDisk',
  'after disks.snapshotDisk',
  'before disks.writtenBytes',
  'after disks.writtenBytes',
] as const)(
  'C9: a snapshot that ends with the daemon %s was never made, leaves nothing, and the sandbox keeps running',
  async (step) => {
    const { host, sandboxId, bootId, snapshots, first } = await killAt(step, 'take')
    await using _ = host
    expect(await snapshots.onDisk()).toEqual([first.snapshotId])
    expect(await snapshots.list()).toEqual([first])
    expect(await ordersOf(host, { sandboxId, bootId }).state()).toMatchObject({ actual: 'ready', bootId })
    expect(await snapshots.taken()).toMatchObject({ isNew: true })
    expect(await readFile(await snapshots.diskFile('note'), 'utf8')).toBe('second')
  },
)

test.each(['before disks.deleteSnapshot', 'after disks.deleteSnapshot'] as const)(
  'the removal of a snapshot that ends with the daemon %s is finished',
  async (step) => {
    const { host, snapshots } = await killAt(step, 'remove')
    await using _ = host
    expect([await snapshots.list(), await snapshots.onDisk()]).toEqual([[], []])
  },
)

test('snapshots of a sandbox whose disk is lost do not prevent a start of the daemon', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const { sandboxId } = await host.startSandbox()
  const snapshots = snapshotsOf(host, sandboxId)
  await snapshots.taken()
  await rm(await snapshots.diskFile('.'), { recursive: true, force: true })
  await host.killAndRestart()
  expect(await snapshots.list()).toHaveLength(1)
  expect(codeOf(await snapshots.take())).toEqual([404, 'disk.not-found'])
})
