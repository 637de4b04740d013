import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import {
  gatewayPaths,
  hostPaths,
  hostSnapshotsSchema,
  imageSnapshot,
  type RewoundSandbox,
  snapshotChangesSchema,
  type TakenSnapshot,
} from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { type HostUnderTestOptions, startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, codeOf, ordersOf } from '../memory/memory.test-utils.ts'

type Step = `${'before' | 'after'} ${string}`

const newId = () => makeId('snapshot', randomBytes)
const enough = { maxBytes: 2 ** 30 }

/** A sandbox with a note that names a moment. */
async function begin(options: HostUnderTestOptions = {}) {
  const host = await startHostUnderTest({ ...answeringGuest(), ...options })
  const sandbox = await host.startSandbox()
  const { sandboxId } = sandbox
  const file = async () => path.join((await host.disks.getDisk(sandboxId)).path, 'note')
  /** Written to disk and memory, to check that both are from the same moment. */
  const write = async (text: string) => {
    await writeFile(await file(), text)
    const running = (await host.driver.list()).find((boot) => boot.sandboxId === sandboxId && boot.state === 'running')
    if (running !== undefined) host.driver.changeMemory(running.bootId, `memory of ${text}`)
  }
  await write('then')
  const order = (memory: { maxBytes: number } | null = enough, snapshotId = newId()) =>
    host.request('POST', hostPaths.snapshots(sandboxId), { snapshotId, memory })
  return {
    host,
    sandbox,
    write,
    order,
    orders: ordersOf(host, sandbox),
    read: async () => readFile(await file(), 'utf8'),
    take: async (memory: { maxBytes: number } | null = enough, snapshotId = newId()) => {
      const { status, body } = await order(memory, snapshotId)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return body as TakenSnapshot
    },
    list: async () =>
      hostSnapshotsSchema.parse((await host.request('GET', hostPaths.snapshots(sandboxId))).body).snapshots,
    places: async () => (await host.disks.listMemoryPlaces()).map(({ imageId }) => imageId),
    rewind: async (snapshotId: string | null, known: { keepId?: string; bootId?: string | null } = {}) => {
      const { keepId = newId(), bootId = host.newBootId() } = known
      const answer = await host.request('POST', hostPaths.rewind(sandboxId), {
        snapshotId,
        keepId,
        memory: enough,
        bootId,
      })
      return { ...answer, bootId, body: answer.body as RewoundSandbox }
    },
    /** The address under which the machine attached it. */
    address: () => host.links.get(sandboxId)?.address,
    forgetMemory: (snapshotId: string) => host.request('DELETE', hostPaths.removeSnapshotMemory(sandboxId, snapshotId)),
  }
}

type SnapshotSetup = Awaited<ReturnType<typeof begin>>

/** Unchanged, and nothing that was begun is left. */
async function expectUnharmed({ host, sandbox, orders, places, read }: SnapshotSetup, memory: string | undefined) {
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId: sandbox.bootId })
  expect(await orders.memory()).toBe(memory)
  expect(host.driver.isFrozen(sandbox.bootId)).toBe(false)
  expect((await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandbox.sandboxId)}/health`)).status).toBe(200)
  expect(await places()).toEqual([])
  expect(await read()).toBe('then')
}

test('if memory cannot be saved, the snapshot is still made: the sandbox keeps running, and the result says why', async () => {
  const begun = await begin()
  await using host = begun.host
  const memory = await begun.orders.memory()
  host.driver.failSaving('the pool is full')
  expect(await begun.take()).toMatchObject({ isNew: true, memoryProblem: 'not-saved', snapshot: { memoryBytes: null } })
  await expectUnharmed(begun, memory)
  host.driver.failSaving(undefined)
  expect(await begun.take({ maxBytes: 1 })).toMatchObject({ memoryProblem: 'too-large' })
  await expectUnharmed(begun, memory)
  host.disk.availableBytes = host.disk.totalBytes * 0.05
  expect(await begun.take()).toMatchObject({ memoryProblem: 'no-room' })
  await expectUnharmed(begun, memory)
})

test('a sandbox that cannot be frozen, or whose disk cannot be kept, keeps running and nothing of the snapshot is left', async () => {
  const begun = await begin()
  await using host = begun.host
  const memory = await begun.orders.memory()
  const { freeze } = host.driver
  host.driver.freeze = async () => {
    throw new Error('it does not stand still')
  }
  expect(await begun.take()).toMatchObject({ isNew: true, memoryProblem: 'not-saved' })
  await expectUnharmed(begun, memory)
  host.driver.freeze = freeze
  host.disks.snapshotDisk = async () => {
    throw new Error('the disk is full')
  }
  expect((await begun.order()).status).toBe(500)
  await expectUnharmed(begun, memory)
})

test('a stopped sandbox has a snapshot without memory, which says so', async () => {
  const begun = await begin()
  await using _ = begun.host
  await begun.orders.stop()
  expect(await begun.take()).toMatchObject({ memoryProblem: 'not-awake', snapshot: { memoryBytes: null } })
})

test('a snapshot with memory is made even if nothing was written; without memory to save none is made', async () => {
  const begun = await begin()
  await using _ = begun.host
  const first = await begun.take()
  expect(first).toMatchObject({ isNew: true, memoryProblem: null, snapshot: { memoryBytes: expect.any(Number) } })
  const second = await begun.take()
  expect(second.isNew).toBe(true)
  expect(await begun.take(null)).toMatchObject({ isNew: false, snapshot: second.snapshot })
  // Memory has changed since then.
  expect(await begun.take({ maxBytes: 1 })).toMatchObject({ isNew: true, snapshot: { memoryBytes: null } })
  expect(await begun.take(enough, first.snapshot.snapshotId)).toMatchObject({ snapshot: first.snapshot })
})

test('previewing a rewind leaves an awake sandbox unchanged: the next snapshot is shared, with its memory', async () => {
  const begun = await begin()
  await using host = begun.host
  // As on btrfs: the disk itself is frozen to be compared, which counts as a change of it.
  const { compareWithSnapshot, mayDifferFromSnapshot } = host.disks
  let isTouched = false
  host.disks.compareWithSnapshot = async (compared) => {
    if (compared.of === undefined) isTouched = true
    return await compareWithSnapshot(compared)
  }
  host.disks.mayDifferFromSnapshot = async (asked) => isTouched || (await mayDifferFromSnapshot(asked))
  const changes = async (snapshotId: string) => {
    const path = hostPaths.snapshotChanges(begun.sandbox.sandboxId, snapshotId)
    const { files } = snapshotChangesSchema.parse((await host.request('GET', path)).body)
    return files.map(({ name, lines }) => [name, lines])
  }
  const first = await begun.take()
  await begun.write('then\nagain')
  const { snapshot } = await begun.take()
  expect(await changes(first.snapshot.snapshotId)).toEqual([['note', { added: 2, removed: 1 }]])
  expect(await changes(imageSnapshot)).toEqual([['note', null]])
  expect(await begun.take(null)).toMatchObject({ isNew: false, snapshot })
  await begun.write('now')
  expect(await changes(snapshot.snapshotId)).toEqual([['note', { added: 1, removed: 2 }]])
  expect(await begun.take(null)).toMatchObject({ isNew: true, snapshot: { memoryBytes: null } })
})

test('memory is discarded alone, or with its snapshot, and its space is freed', async () => {
  const begun = await begin()
  await using host = begun.host
  const ids = [(await begun.take()).snapshot.snapshotId, (await begun.take()).snapshot.snapshotId]
  expect((await begun.places()).toSorted()).toEqual(ids.toSorted())
  for (const _ of [1, 2]) expect((await begun.forgetMemory(ids[0] ?? '')).status).toBe(204)
  expect(await begun.places()).toEqual([ids[1]])
  expect(await begun.list()).toMatchObject([{ memoryBytes: null }, { memoryBytes: expect.any(Number) }])
  await host.request('DELETE', hostPaths.removeSnapshot(begun.sandbox.sandboxId, ids[1] ?? ''))
  expect([await begun.places(), (await begun.list()).length]).toEqual([[], 1])
  await begun.take()
  await host.request('DELETE', hostPaths.get(begun.sandbox.sandboxId))
  expect(await begun.places()).toEqual([])
})

test('complete memory outlives the daemon, pauses and wakes', async () => {
  const begun = await begin()
  await using host = begun.host
  const { snapshotId } = (await begun.take()).snapshot
  await begun.orders.pause()
  await host.killAndRestart()
  await begun.orders.wake()
  await expect.poll(begun.places).toEqual([snapshotId])
  expect(await begun.rewind(snapshotId)).toMatchObject({ body: { from: 'memory' } })
})

test('a rewind restores memory with its files, as another boot with another token; undoing it restores the newest', async () => {
  const begun = await begin()
  await using host = begun.host
  const address = begun.address()
  const { snapshotId } = (await begun.take()).snapshot
  await begun.write('now')
  const rewound = await begun.rewind(snapshotId)
  expect(rewound.body).toMatchObject({
    from: 'memory',
    problem: '',
    sandbox: { actual: 'ready', bootId: rewound.bootId },
    kept: { memoryBytes: expect.any(Number) },
  })
  expect([await begun.read(), await begun.orders.memory()]).toEqual(['then', 'memory of then'])
  const greetings = host.handshakes as { origin: string; accessToken: string }[]
  expect(greetings.at(-1)).toMatchObject({ origin: 'forked', bootId: rewound.bootId })
  expect(new Set(greetings.map(({ accessToken }) => accessToken)).size).toBe(2)
  expect(begun.address()).not.toBe(address)
  expect((await fetch(`${host.gatewayUrl}${gatewayPaths.guest(begun.sandbox.sandboxId)}/health`)).status).toBe(200)
  const keepId = newId()
  const undone = await begun.rewind(rewound.body.kept.snapshotId, { keepId })
  expect(undone.body).toMatchObject({ from: 'memory', sandbox: { bootId: undone.bootId } })
  expect([await begun.read(), await begun.orders.memory()]).toEqual(['now', 'memory of now'])
  expect((await begun.rewind(rewound.body.kept.snapshotId, { keepId })).body).toEqual(undone.body)
  // It is only read, so it serves again.
  expect(await begun.rewind(snapshotId)).toMatchObject({ body: { from: 'memory' } })
  expect([await begun.read(), await begun.orders.memory()]).toEqual(['then', 'memory of then'])
})

test.each([true, false])(
  'what a paused sandbox had in memory is kept when it is rewound, and can be restored (frozen: %s)',
  async (keepsFrozen) => {
    const begun = await begin({ keepsFrozen })
    await using _ = begun.host
    const memory = await begun.orders.memory()
    await begun.orders.pause()
    const { body } = await begun.rewind(null)
    expect(body).toMatchObject({ from: 'disk', problem: '', sandbox: { actual: 'stopped' } })
    expect(await begun.rewind(body.kept.snapshotId)).toMatchObject({ body: { from: 'memory' } })
    expect([await begun.read(), await begun.orders.memory()]).toEqual(['then', memory])
  },
)

test('memory that is broken, or for which the machine has no space, leaves the snapshot’s files and says why', async () => {
  const begun = await begin()
  await using host = begun.host
  const { snapshotId } = (await begun.take()).snapshot
  await begun.write('now')
  host.memory.availableBytes = 2 ** 30
  const refused = await begun.rewind(snapshotId)
  expect(refused.body).toMatchObject({ from: 'disk', sandbox: { actual: 'stopped', bootId: null } })
  expect(refused.body.problem).not.toBe('')
  expect(await begun.read()).toBe('then')
  host.memory.availableBytes = 12 * 2 ** 30
  const [place] = (await host.disks.listMemoryPlaces()).filter(({ imageId }) => imageId === snapshotId)
  await writeFile(path.join(place?.path ?? '/nowhere', 'image', 'memory.json'), 'not what it was')
  const broken = await begun.rewind(snapshotId)
  expect(broken.body).toMatchObject({ from: 'disk', problem: expect.stringContaining('corrupt') })
  expect(await begun.orders.startFresh()).toMatchObject({ status: 200 })
})

test('a fork from a snapshot with memory continues as it was then; the source is not touched', async () => {
  const begun = await begin()
  await using host = begun.host
  const { snapshotId } = (await begun.take()).snapshot
  await begun.write('now')
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  const answer = await host.request('POST', hostPaths.fork(sandboxId), {
    source: { sandboxId: begun.sandbox.sandboxId, snapshotId },
    bootId,
    hostname: 'the-fork',
    limits: defaultSandboxLimits,
    egress: { kind: 'open' },
  })
  expect(answer.body).toMatchObject({ from: 'memory', sandbox: { actual: 'ready', bootId } })
  expect(await ordersOf(host, { sandboxId, bootId }).memory()).toBe('memory of then')
  expect(await readFile(path.join((await host.disks.getDisk(sandboxId)).path, 'note'), 'utf8')).toBe('then')
  expect([await begun.read(), await begun.orders.memory()]).toEqual(['now', 'memory of now'])
  expect(await begun.places()).toEqual([snapshotId])
})

test('the memory of another sandbox is neither used nor discarded', async () => {
  const begun = await begin()
  await using host = begun.host
  const other = await host.startSandbox()
  const theirs = newId()
  await host.request('POST', hostPaths.snapshots(other.sandboxId), { snapshotId: theirs, memory: enough })
  expect(codeOf(await begun.rewind(theirs))).toEqual([404, 'rewind.target-gone'])
  await begun.forgetMemory(theirs)
  expect(await begun.places()).toEqual([theirs])
})

const savingSteps: Step[] = [
  ...(['before driver.freeze', 'after driver.freeze', 'before driver.saveMemory', 'after driver.saveMemory'] as const),
  ...(['before disks.snapshotDisk', 'after disks.snapshotDisk', 'before driver.thaw', 'after driver.thaw'] as const),
  ...(['before disks.syncMemoryPlace', 'after disks.writtenBytes'] as const),
]
test.each(savingSteps)(
  'a snapshot with memory that ends with the daemon %s was never made, and the sandbox keeps running',
  async (step) => {
    const begun = await begin()
    await using host = begun.host
    const memory = await begun.orders.memory()
    const reached = host.hangAt(step)
    begun.order().catch(() => undefined)
    await reached
    await host.killAndRestart()
    await expectUnharmed(begun, memory)
    expect(await begun.list()).toEqual([])
    expect(await begun.take()).toMatchObject({ memoryProblem: null })
  },
)

test.each(['before disks.deleteMemoryPlace', 'after disks.deleteMemoryPlace'] as const)(
  'discarding memory that ends with the daemon %s is finished',
  async (step) => {
    const begun = await begin()
    await using host = begun.host
    const { snapshotId } = (await begun.take()).snapshot
    const reached = host.hangAt(step)
    begun.forgetMemory(snapshotId).catch(() => undefined)
    await reached
    await host.killAndRestart()
    expect([await begun.places(), (await begun.list()).map(({ memoryBytes }) => memoryBytes)]).toEqual([[], [null]])
  },
)

test('a rewind that wants no boot reports no problem; one during a shutdown says why it has no memory', async () => {
  const begun = await begin()
  await using host = begun.host
  const { snapshotId } = (await begun.take()).snapshot
  expect((await begun.rewind(snapshotId, { bootId: null })).body).toMatchObject({ from: 'disk', problem: '' })
  await host.request('POST', hostPaths.shutdown(), { keepsMemory: false })
  const ending = await begun.rewind(snapshotId)
  expect(ending.body).toMatchObject({ from: 'disk', problem: expect.stringContaining('shutting down') })
})

const rewindSteps: Step[] = [
  ...(['before driver.stop', 'before disks.restoreSnapshot', 'after disks.restoreSnapshot'] as const),
  ...(['before driver.startFromMemory', 'after driver.startFromMemory', 'before network.setLink'] as const),
  ...(['after network.setLink'] as const),
]
test.each(rewindSteps)(
  'a rewind with memory that ends with the daemon %s is finished over the snapshot’s files, never with other memory',
  async (step) => {
    const begun = await begin()
    await using host = begun.host
    const { snapshotId } = (await begun.take()).snapshot
    await begun.write('now')
    const [keepId, bootId] = [newId(), host.newBootId()]
    const reached = host.hangAt(step)
    begun.rewind(snapshotId, { keepId, bootId }).catch(() => undefined)
    await reached
    await host.killAndRestart()
    expect(await begun.read()).toBe('then')
    expect(await begun.orders.state()).toMatchObject({ actual: 'stopped', bootId: null })
    expect(await host.driver.list()).toEqual([])
    const again = await begun.rewind(snapshotId, { keepId, bootId })
    expect(again.body).toMatchObject({ from: 'disk', kept: { snapshotId: keepId } })
    expect(again.body.problem).toContain('interrupted')
    // Both moments still exist, each with its own memory.
    expect(await begun.rewind(keepId)).toMatchObject({ body: { from: 'memory' } })
    expect([await begun.read(), await begun.orders.memory()]).toEqual(['now', 'memory of now'])
    expect(await begun.rewind(snapshotId)).toMatchObject({ body: { from: 'memory' } })
    expect([await begun.read(), await begun.orders.memory()]).toEqual(['then', 'memory of then'])
  },
)
