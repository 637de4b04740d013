import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { defaultSandboxLimits, makeId } from '@threadbox/domain'
import { type ForkedSandbox, gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { type HostUnderTest, type HostUnderTestOptions, startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, codeOf, ordersOf } from '../../memory/memory/memory.test-utils.ts'

type Step = `${'before' | 'after'} ${string}`

function forkOf(host: HostUnderTest, sourceId: string) {
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  const order = (snapshotId: string | null = null) =>
    host.request('POST', hostPaths.fork(sandboxId), {
      source: { sandboxId: sourceId, snapshotId },
      bootId,
      hostname: 'the-fork',
      limits: defaultSandboxLimits,
      egress: { kind: 'open' },
    })
  return { sandboxId, bootId, order }
}

async function begin(options: HostUnderTestOptions = {}) {
  const host = await startHostUnderTest({ ...answeringGuest(), ...options })
  const source = await host.startSandbox()
  const orders = ordersOf(host, source)
  const write = async (text: string) => writeFile(path.join(await orders.diskPath(), 'note'), text)
  await write('of the source')
  return { host, source, orders, write, fork: forkOf(host, source.sandboxId) }
}

const noteOf = async (host: HostUnderTest, sandboxId: string) =>
  readFile(path.join((await host.disks.getDisk(sandboxId)).path, 'note'), 'utf8')

/** The source serves with its memory and its files, and nothing of a fork is left. */
async function expectUnharmed(
  { host, source }: Pick<Awaited<ReturnType<typeof begin>>, 'host' | 'source'>,
  memory: string | undefined,
): Promise<void> {
  const orders = ordersOf(host, source)
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId: source.bootId })
  expect(await orders.memory()).toBe(memory)
  expect(host.links.get(source.sandboxId)).toMatchObject({ state: 'up' })
  expect(await noteOf(host, source.sandboxId)).toBe('of the source')
  expect((await host.driver.list()).map((boot) => boot.sandboxId)).toEqual([source.sandboxId])
  expect((await host.disks.listDisks()).map(({ diskId }) => diskId)).toEqual([source.sandboxId])
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect([...host.links.keys()]).toEqual([source.sandboxId])
}

test('a fork of an unknown sandbox, of an unknown snapshot, or into an existing one is refused or changes nothing', async () => {
  const { host, source, orders, fork } = await begin()
  await using _ = host
  const memory = await orders.memory()
  expect(codeOf(await forkOf(host, host.newSandboxId()).order())).toEqual([404, 'sandbox.not-found'])
  expect(codeOf(await fork.order(makeId('snapshot', randomBytes)))).toEqual([404, 'disk.snapshot-not-found'])
  await expectUnharmed({ host, source }, memory)
})

test('a fork whose memory cannot be saved leaves nothing, and its source keeps running', async () => {
  const { host, source, orders, fork } = await begin()
  await using _ = host
  const memory = await orders.memory()
  host.driver.failSaving('the pool is full')
  const refused = await fork.order()
  expect(refused.status).toBeGreaterThanOrEqual(400)
  expect(JSON.stringify(refused.body)).toContain('the pool is full')
  await expectUnharmed({ host, source }, memory)
  host.driver.failSaving(undefined)
  expect(await fork.order()).toMatchObject({ status: 200, body: { from: 'memory' } })
})

test('a fork for which no memory is left on the machine has the files, is stopped, and says why', async () => {
  const { host, source, orders, fork } = await begin()
  await using _ = host
  host.memory.availableBytes = 2 ** 30
  const { body } = await fork.order()
  expect(body).toMatchObject({ from: 'disk', sandbox: { actual: 'stopped', bootId: null } })
  expect((body as ForkedSandbox).problem).not.toBe('')
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId: source.bootId })
  expect(await noteOf(host, fork.sandboxId)).toBe('of the source')
})

test('a live fork has memory and files of its source, its own address, token and name; both keep running independently', async () => {
  const { host, source, orders, write, fork } = await begin()
  await using _ = host
  const memory = await orders.memory()
  expect(await fork.order()).toMatchObject({
    status: 200,
    body: { from: 'memory', sandbox: { actual: 'ready', bootId: fork.bootId } },
  })
  const forked = ordersOf(host, fork)
  expect(await forked.memory()).toBe(memory)
  expect(await orders.memory()).toBe(memory)
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId: source.bootId })
  const greetings = host.handshakes as { origin: string; hostname: string; accessToken: string; entropy: string }[]
  expect(greetings.at(-1)).toMatchObject({ origin: 'forked', hostname: 'the-fork', bootId: fork.bootId })
  expect(new Set(greetings.map(({ accessToken }) => accessToken)).size).toBe(2)
  expect(new Set(greetings.map(({ entropy }) => entropy)).size).toBe(greetings.length)
  for (const { sandboxId } of [source, fork]) {
    expect((await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandboxId)}/health`)).status).toBe(200)
  }
  await write('changed later')
  expect(await noteOf(host, fork.sandboxId)).toBe('of the source')
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect(await fork.order()).toMatchObject({ status: 200, body: { from: 'memory', sandbox: { bootId: fork.bootId } } })
})

test.each([true, false])(
  'a fork of a paused sandbox continues from its image; the source wakes (frozen: %s)',
  async (keepsFrozen) => {
    const { host, orders, fork } = await begin({ keepsFrozen })
    await using _ = host
    const memory = await orders.memory()
    await orders.pause()
    expect(await fork.order()).toMatchObject({ status: 200, body: { from: 'memory', sandbox: { actual: 'ready' } } })
    expect(await ordersOf(host, fork).memory()).toBe(memory)
    expect(await orders.state()).toMatchObject({ actual: 'paused' })
    expect(await orders.wake()).toMatchObject({ status: 200 })
    expect(await orders.memory()).toBe(memory)
  },
)

test('a fork of a stopped sandbox, and one of a snapshot, have files only, those of that point', async () => {
  const { host, source, orders, write, fork } = await begin()
  await using _ = host
  const snapshotId = makeId('snapshot', randomBytes)
  await host.request('POST', hostPaths.snapshots(source.sandboxId), { snapshotId })
  await write('changed later')
  expect(await fork.order(snapshotId)).toMatchObject({ body: { from: 'disk', sandbox: { actual: 'stopped' } } })
  expect(await noteOf(host, fork.sandboxId)).toBe('of the source')
  expect(await ordersOf(host, fork).startFresh()).toMatchObject({ status: 200, body: { actual: 'ready' } })
  await host.request('DELETE', hostPaths.get(fork.sandboxId))
  await orders.stop()
  const second = forkOf(host, source.sandboxId)
  expect(await second.order()).toMatchObject({ body: { from: 'disk' } })
  expect(await noteOf(host, second.sandboxId)).toBe('changed later')
})

const steps: Step[] = [
  'before driver.freeze',
  'after driver.freeze',
  'before driver.saveMemory',
  'after driver.saveMemory',
  'before disks.createDisk',
  'after disks.createDisk',
  'before driver.thaw',
  'after driver.thaw',
  'after network.attach',
  'before disks.commitDisk',
  'after disks.commitDisk',
  'before driver.startFromMemory',
  'after driver.startFromMemory',
  'before network.setLink',
]
test.each(steps)(
  'a fork that ends with the daemon %s leaves a source that keeps running, and is gone',
  async (step) => {
    const { host, source, orders, fork } = await begin()
    await using _ = host
    const memory = await orders.memory()
    const reached = host.hangAt(step)
    fork.order().catch(() => undefined)
    await reached
    await host.killAndRestart()
    await expectUnharmed({ host, source }, memory)
    expect(await fork.order()).toMatchObject({ status: 200, body: { from: 'memory' } })
  },
)

test.each(['before disks.deleteMemoryPlace', 'after disks.deleteMemoryPlace'] as const)(
  'a fork that was reported before the daemon ended, %s of its memory, is complete, and nothing of it is left over',
  async (step) => {
    const { host, source, orders, fork } = await begin()
    await using _ = host
    const memory = await orders.memory()
    const reached = host.hangAt(step)
    expect(await fork.order()).toMatchObject({ status: 200, body: { from: 'memory' } })
    await reached
    await host.killAndRestart()
    for (const sandbox of [orders, ordersOf(host, fork)]) {
      expect(await sandbox.state()).toMatchObject({ actual: 'ready' })
      expect(await sandbox.memory()).toBe(memory)
    }
    expect(await noteOf(host, fork.sandboxId)).toBe('of the source')
    await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
    expect(await fork.order()).toMatchObject({ status: 200, body: { sandbox: { bootId: fork.bootId } } })
    expect(await orders.state()).toMatchObject({ bootId: source.bootId })
  },
)

test('a fork is not reported before its disk would survive a power cut', async () => {
  const { host, fork } = await begin()
  await using _ = host
  const reached = host.hangAt('before disks.commitDisk')
  let isReported = false
  const ordered = fork.order().then(() => {
    isReported = true
  })
  ordered.catch(() => undefined)
  await reached
  await expect.poll(() => host.handshakes.length).toBe(2)
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(isReported).toBe(false)
})

test('a fork that was reported still exists after the daemon ended, and so does its source', async () => {
  const { host, orders, fork } = await begin()
  await using _ = host
  const memory = await orders.memory()
  expect(await fork.order()).toMatchObject({ status: 200, body: { from: 'memory' } })
  await host.killAndRestart()
  for (const sandbox of [orders, ordersOf(host, fork)]) {
    expect(await sandbox.state()).toMatchObject({ actual: 'ready' })
    expect(await sandbox.memory()).toBe(memory)
  }
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
})
