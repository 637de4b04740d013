import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { type HostUnderTest, startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, ordersOf } from '../../memory/memory/memory.test-utils.ts'

type Step = `${'before' | 'after'} ${string}`
type Subject = { host: HostUnderTest; sandboxId: string; bootId: string; memory: string | undefined }

/** Kills a daemon at one step of an order; another one starts over its remains. */
async function killAt(options: {
  step: Step
  keepsFrozen: boolean
  order: 'pause' | 'wake' | 'demote' | 'evict'
}): Promise<Subject> {
  const { step, keepsFrozen, order } = options
  const host = await startHostUnderTest({ ...answeringGuest(), keepsFrozen: order === 'evict' || keepsFrozen })
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const memory = await orders.memory()
  if (order !== 'pause') await orders.pause()
  const reached = host.hangAt(step)
  const ordered = order === 'evict' ? host.request('POST', hostPaths.shutdown()) : orders[order]()
  ordered.catch(() => undefined)
  await reached
  await host.killAndRestart()
  return { host, ...sandbox, memory }
}

/** The sandbox serves with its memory, and what was begun has left nothing. */
async function expectAwake({ host, sandboxId, bootId, memory }: Subject): Promise<void> {
  const orders = ordersOf(host, { sandboxId, bootId })
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId, paused: null })
  expect(await orders.memory()).toBe(memory)
  expect(host.links.get(sandboxId)).toMatchObject({ state: 'up', egress: 'open' })
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect(host.events.map((event) => event.type)).not.toContain('boot-ended')
  expect((await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandboxId)}/health`)).status).toBe(200)
}

async function expectPausedAndUsable({ host, sandboxId, bootId, memory }: Subject): Promise<void> {
  const orders = ordersOf(host, { sandboxId, bootId })
  expect(await orders.state()).toMatchObject({ actual: 'paused', bootId })
  expect(await orders.wake()).toMatchObject({ status: 200, body: { sandbox: { actual: 'ready', bootId } } })
  await expectAwake({ host, sandboxId, bootId, memory })
}

async function expectEnded({ host, sandboxId, bootId }: Subject): Promise<void> {
  const orders = ordersOf(host, { sandboxId, bootId })
  const state = await orders.state()
  expect(state).toMatchObject({ actual: 'stopped', bootId: null, lastBootEnd: { bootId } })
  expect(state.lastBootEnd?.detail).not.toBe('')
  expect(await host.driver.list()).toEqual([])
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect(await readdir(await orders.diskPath())).toContain('base')
  expect(await orders.startFresh()).toMatchObject({ status: 200, body: { actual: 'ready' } })
  expect(host.links.get(sandboxId)).toMatchObject({ state: 'up', egress: 'open' })
}

const pauseSteps: Step[] = [
  'before disks.makeMemoryPlace',
  'after disks.makeMemoryPlace',
  'after disks.syncDisk',
  'before driver.freeze',
  'after driver.freeze',
  'after network.settle',
  'before network.setLink',
  'after network.setLink',
  'before driver.saveMemory',
  'after driver.saveMemory',
  'before disks.snapshotDisk',
  'after disks.snapshotDisk',
  'after disks.syncMemoryPlace',
  'before disks.diskGeneration',
  'after disks.diskGeneration',
]
test.each(pauseSteps)(
  'C4: a pause that ends with the daemon %s never happened, and works the next time',
  async (step) => {
    const subject = await killAt({ step, keepsFrozen: true, order: 'pause' })
    await using host = subject.host
    await expectAwake(subject)
    const orders = ordersOf(host, subject)
    expect(await orders.pause()).toMatchObject({ status: 200, body: { sandbox: { actual: 'paused' } } })
    await expectPausedAndUsable(subject)
  },
)

test.each([true, false])(
  'C4: a pause that was finished stays, with the frozen copy if there is one (%s)',
  async (keepsFrozen) => {
    await using host = await startHostUnderTest({ ...answeringGuest(), keepsFrozen })
    const sandbox = await host.startSandbox()
    const orders = ordersOf(host, sandbox)
    const memory = await orders.memory()
    await orders.pause()
    await host.killAndRestart()
    expect(await orders.state()).toMatchObject({ actual: 'paused', paused: { isFrozen: keepsFrozen } })
    expect(host.links.get(sandbox.sandboxId)).toMatchObject({ state: 'down' })
    await expectPausedAndUsable({ host, ...sandbox, memory })
  },
)

const frozenWakeSteps: Step[] = [
  'before driver.setLimits',
  'before driver.thaw',
  'after driver.thaw',
  'before network.setLink',
  'after network.setLink',
  'before disks.deleteMemoryPlace',
  'after disks.deleteMemoryPlace',
]
test.each(frozenWakeSteps)('C4: a wake of a frozen copy that ends with the daemon %s is finished', async (step) => {
  const subject = await killAt({ step, keepsFrozen: true, order: 'wake' })
  await using _ = subject.host
  await expectAwake(subject)
})

const imageWakeSteps: { step: Step; becomes: 'paused' | 'awake' | 'ended' }[] = [
  { step: 'before driver.judgeMemory', becomes: 'paused' },
  { step: 'after disks.diskGeneration', becomes: 'paused' },
  { step: 'after network.attach', becomes: 'paused' },
  { step: 'after network.setLink', becomes: 'paused' },
  { step: 'before driver.startFromMemory', becomes: 'ended' },
  { step: 'after driver.startFromMemory', becomes: 'awake' },
  { step: 'before disks.deleteMemoryPlace', becomes: 'awake' },
]
test.each(imageWakeSteps)(
  'C6: a wake from the image that ends with the daemon $step leaves the sandbox $becomes',
  async ({ step, becomes }) => {
    const subject = await killAt({ step, keepsFrozen: false, order: 'wake' })
    await using host = subject.host
    if (becomes === 'paused') return await expectPausedAndUsable(subject)
    if (becomes === 'awake') return await expectAwake(subject)
    expect(await ordersOf(host, subject).state()).toMatchObject({ lastBootEnd: { cause: 'unknown' } })
    await expectEnded(subject)
  },
)

const demotionSteps: Step[] = [
  'after driver.thaw',
  'after network.setLink',
  'before driver.stop',
  'after driver.stop',
  'before network.list',
  'before disks.snapshotDisk',
  'after disks.snapshotDisk',
  'before disks.deleteMemoryPlace',
  'after disks.deleteMemoryPlace',
]
test.each(demotionSteps)(
  'A3: a demotion that ends with the daemon %s has ended the boot and opened the network',
  async (step) => {
    const subject = await killAt({ step, keepsFrozen: true, order: 'demote' })
    await using _ = subject.host
    await expectEnded(subject)
  },
)

test.each(['before driver.stop', 'after driver.stop', 'after driver.forget'] as const)(
  'a frozen copy that was being evicted when the daemon ended, %s, leaves a paused sandbox',
  async (step) => {
    const subject = await killAt({ step, keepsFrozen: true, order: 'evict' })
    await using _ = subject.host
    await expectPausedAndUsable(subject)
  },
)

test('A1: after a restart of the machine a paused sandbox wakes with its memory, and its frozen copy is gone', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const memory = await orders.memory()
  await orders.pause()
  await host.killAndRestart()
  host.driver.endBoot({ bootId: sandbox.bootId, cause: 'machine-restarted', detail: 'The machine was restarted.' })
  host.links.clear()
  await host.killAndRestart()
  expect(await orders.state()).toMatchObject({ actual: 'paused', paused: { isFrozen: false } })
  expect(await orders.wake()).toMatchObject({ body: { from: 'memory' } })
  await expectAwake({ host, ...sandbox, memory })
})

test('C10: memory without a record is removed at a start; so is a record whose boot has ended', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const stray = await host.disks.makeMemoryPlace({ diskId: sandbox.sandboxId, imageId: 'stray' })
  await host.disks.makeMemoryPlace({ diskId: 'gone', imageId: 'stray' })
  expect(await readdir(path.dirname(stray.path))).toEqual(['stray'])
  await host.killAndRestart()
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect(await ordersOf(host, sandbox).state()).toMatchObject({ actual: 'ready' })
})
