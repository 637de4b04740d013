import { randomBytes } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makeId } from '@threadbox/domain'
import {
  gatewayPaths,
  hostPaths,
  imageSnapshot,
  type RewoundSandbox,
  snapshotChangesSchema,
} from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { type HostUnderTestOptions, startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, codeOf, ordersOf } from '../../memory/memory/memory.test-utils.ts'

type Step = `${'before' | 'after'} ${string}`

const newId = () => makeId('snapshot', randomBytes)

/** A sandbox whose note said `then` when the snapshot was taken, and says `now`. */
async function begin(options: HostUnderTestOptions = {}) {
  const host = await startHostUnderTest({ ...answeringGuest(), ...options })
  const sandbox = await host.startSandbox()
  const { sandboxId } = sandbox
  const file = async (name: string) => path.join((await host.disks.getDisk(sandboxId)).path, name)
  const write = async (name: string, text: string) => writeFile(await file(name), text)
  await write('note', 'then')
  const snapshotId = newId()
  await host.request('POST', hostPaths.snapshots(sandboxId), { snapshotId })
  await write('note', 'now')
  await write('added', 'x'.repeat(10))
  return {
    host,
    sandbox,
    snapshotId,
    write,
    orders: ordersOf(host, sandbox),
    rewind: (target: string | null = snapshotId, keepId = newId()) =>
      host.request('POST', hostPaths.rewind(sandboxId), { snapshotId: target, keepId }),
    read: async (name = 'note') => readFile(await file(name), 'utf8').catch(() => undefined),
  }
}

type RewindSetup = Awaited<ReturnType<typeof begin>>

async function expectUnharmed({ host, sandbox, orders, read }: RewindSetup, memory: string | undefined): Promise<void> {
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId: sandbox.bootId })
  expect(await orders.memory()).toBe(memory)
  expect([await read(), await read('added')]).toEqual(['now', 'xxxxxxxxxx'])
  expect((await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandbox.sandboxId)}/health`)).status).toBe(200)
}

/** Nothing of the previous memory is left, and the sandbox starts with the snapshot's disk. */
async function expectRewound({ host, sandbox, orders, read }: RewindSetup): Promise<void> {
  expect([await read(), await read('added')]).toEqual(['then', undefined])
  expect(await orders.state()).toMatchObject({ actual: 'stopped', bootId: null, lastBootEnd: { cause: 'stopped' } })
  expect(await host.driver.list()).toEqual([])
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect((await orders.wake()).status).toBeGreaterThanOrEqual(400)
  expect(await ordersOf(host, sandbox).startFresh()).toMatchObject({ status: 200, body: { actual: 'ready' } })
  expect(await read()).toBe('then')
}

test('a rewind of an unknown sandbox, to no snapshot or to that of another one is refused and changes nothing', async () => {
  const begun = await begin()
  await using host = begun.host
  const memory = await begun.orders.memory()
  const unknown = { snapshotId: null, keepId: newId() }
  expect(codeOf(await host.request('POST', hostPaths.rewind(host.newSandboxId()), unknown))).toEqual([
    ...[404, 'sandbox.not-found'],
  ])
  for (const bad of ['', '../x']) expect(codeOf(await begun.rewind(bad))).toEqual([400, 'host.request-invalid'])
  expect(codeOf(await begun.rewind(newId()))).toEqual([404, 'rewind.target-gone'])
  const other = await host.startSandbox()
  const theirs = newId()
  await host.request('POST', hostPaths.snapshots(other.sandboxId), { snapshotId: theirs })
  expect(codeOf(await begun.rewind(theirs))).toEqual([404, 'rewind.target-gone'])
  await expectUnharmed(begun, memory)
})

test('a rewind whose present cannot be kept changes nothing', async () => {
  const begun = await begin()
  await using host = begun.host
  const memory = await begun.orders.memory()
  host.disks.snapshotDisk = async () => {
    throw new Error('the disk is full')
  }
  expect((await begun.rewind()).status).toBe(500)
  await expectUnharmed(begun, memory)
})

test('a rewind whose snapshot is gone from the machine leaves the disk unchanged, and the sandbox can start', async () => {
  const begun = await begin()
  await using host = begun.host
  await host.disks.deleteSnapshot({ diskId: begun.sandbox.sandboxId, snapshotId: begun.snapshotId })
  expect(codeOf(await begun.rewind())).toEqual([404, 'disk.snapshot-not-found'])
  expect(await begun.read()).toBe('now')
  expect(await begun.orders.startFresh()).toMatchObject({ status: 200, body: { actual: 'ready' } })
})

test('a running sandbox goes back to the snapshot’s files, without memory; the previous state is kept and can be restored', async () => {
  const begun = await begin()
  await using _ = begun.host
  const keepId = newId()
  const { body } = await begun.rewind(begun.snapshotId, keepId)
  expect(body).toMatchObject({ sandbox: { actual: 'stopped' }, kept: { snapshotId: keepId } })
  expect((await begun.rewind(begun.snapshotId, keepId)).body).toEqual(body)
  expect(await begun.read()).toBe('then')
  expect((await begun.rewind(keepId)).status).toBe(200)
  expect([await begun.read(), await begun.read('added')]).toEqual(['now', 'xxxxxxxxxx'])
  expect((await begun.rewind()).status).toBe(200)
  await expectRewound(begun)
})

test.each([true, false])(
  'the memory of a paused sandbox is discarded, never combined with the snapshot’s files (frozen: %s)',
  async (keepsFrozen) => {
    const begun = await begin({ keepsFrozen })
    await using _ = begun.host
    await begun.orders.pause()
    const { kept } = (await begun.rewind()).body as RewoundSandbox
    await expectRewound(begun)
    await begun.rewind(kept.snapshotId)
    expect(await begun.read()).toBe('now')
  },
)

test('null is the image: the disk is that of a new sandbox, and the previous one can be restored', async () => {
  const begun = await begin()
  await using _ = begun.host
  const { kept } = (await begun.rewind(null)).body as RewoundSandbox
  expect([await begun.read('base'), await begun.read()]).toEqual(['image', undefined])
  await begun.rewind(kept.snapshotId)
  expect(await begun.read()).toBe('now')
})

test('a disk that is lost after a rewind does not get back what was undone', async () => {
  const begun = await begin()
  await using _ = begun.host
  await begun.orders.pause()
  await begun.rewind()
  await rm((await begun.host.disks.getDisk(begun.sandbox.sandboxId)).path, { recursive: true, force: true })
  expect(await begun.orders.startFresh()).toMatchObject({ status: 200 })
  expect(await begun.read()).toBe('then')
})

test('for a paused sandbox, the changes of a rewind are read from its pause point, not from its disk', async () => {
  const begun = await begin()
  await using host = begun.host
  await begun.orders.pause()
  await begun.write('later', 'x')
  await begun.write('note', 'of later')
  const path = hostPaths.snapshotChanges(begun.sandbox.sandboxId, begun.snapshotId)
  const { files, ...counts } = snapshotChangesSchema.parse((await host.request('GET', path)).body)
  expect(counts).toEqual({ removedCount: 0, changedCount: 1, addedCount: 1, folders: [] })
  expect(files.map(({ name, bytesNow, lines }) => [name, bytesNow, lines])).toEqual([
    ...[
      ['note', 3, { added: 1, removed: 1 }],
      ['added', 10, null],
    ],
  ])
})

test('the changes of a rewind are computed without changing anything, with sizes, also for a paused sandbox', async () => {
  const begun = await begin()
  await using host = begun.host
  const { sandboxId } = begun.sandbox
  const changes = async (snapshotId: string) =>
    snapshotChangesSchema.parse((await host.request('GET', hostPaths.snapshotChanges(sandboxId, snapshotId))).body)
  const expected = {
    removedCount: 0,
    changedCount: 1,
    addedCount: 1,
    folders: [],
    files: [
      { name: 'note', bytesBefore: 4, bytesNow: 3, lines: { added: 1, removed: 1 } },
      { name: 'added', bytesBefore: null, bytesNow: 10, lines: null },
    ],
  }
  expect(await changes(begun.snapshotId)).toEqual(expected)
  await begun.orders.pause()
  expect(await changes(begun.snapshotId)).toEqual(expected)
  expect(await changes(imageSnapshot)).toMatchObject({ addedCount: 2, changedCount: 0 })
  expect(codeOf(await host.request('GET', hostPaths.snapshotChanges(sandboxId, newId())))).toEqual([
    ...[404, 'disk.snapshot-not-found'],
  ])
  expect(await begun.orders.wake()).toMatchObject({ status: 200 })
})

async function killAt(
  step: Step,
  { isPaused = false } = {},
): Promise<{ begun: RewindSetup; memory: string | undefined }> {
  const begun = await begin()
  const memory = await begun.orders.memory()
  if (isPaused) await begun.orders.pause()
  const reached = begun.host.hangAt(step)
  begun.rewind().catch(() => undefined)
  await reached
  await begun.host.killAndRestart()
  return { begun, memory }
}

test.each(['before disks.snapshotDisk', 'after disks.snapshotDisk'] as const)(
  'a rewind that ends with the daemon %s counts as never begun',
  async (step) => {
    const { begun, memory } = await killAt(step)
    await using _ = begun.host
    await expectUnharmed(begun, memory)
    await begun.rewind()
    await expectRewound(begun)
  },
)

const finishedSteps: Step[] = [
  ...(['before driver.stop', 'before driver.forget', 'after driver.forget'] as const),
  ...(['before disks.restoreSnapshot', 'after disks.restoreSnapshot'] as const),
]
test.each(finishedSteps)('a rewind that ends with the daemon %s is finished', async (step) => {
  const { begun } = await killAt(step)
  await using _ = begun.host
  await expectRewound(begun)
})

const pausedSteps: Step[] = [
  ...finishedSteps,
  ...(['after driver.stop', 'before disks.deleteMemoryPlace', 'after disks.deleteMemoryPlace'] as const),
]
test.each(pausedSteps)(
  'a rewind of a paused sandbox that ends with the daemon %s is finished, and its memory is gone',
  async (step) => {
    const { begun } = await killAt(step, { isPaused: true })
    await using _ = begun.host
    await expectRewound(begun)
  },
)
