import { readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { type HostUnderTest, type HostUnderTestOptions, startHostUnderTest } from '../../host.test-utils.ts'
import { openStateDatabase } from '../../machine/state/state-database.ts'
import { answeringGuest, codeOf, ordersOf, rescueReport } from './memory.test-utils.ts'

type Orders = ReturnType<typeof ordersOf>

async function pausedOnDisk(options: HostUnderTestOptions = {}) {
  const host = await startHostUnderTest({ ...answeringGuest(), keepsFrozen: false, ...options })
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const memory = await orders.memory()
  await orders.pause()
  const [place] = await host.disks.listMemoryPlaces()
  return { host, sandbox, orders, memory, image: path.join(place?.path ?? '', 'image', 'memory.json') }
}

/** The memory is gone, nothing of it is left, the disk still exists, and the sandbox starts fresh. */
async function expectLost(options: { host: HostUnderTest; orders: Orders; cause?: string }): Promise<void> {
  const { host, orders, cause } = options
  expect(await orders.state()).toMatchObject({
    actual: 'stopped',
    paused: null,
    lastBootEnd: { cause: cause ?? 'stopped' },
  })
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect(await host.driver.list()).toEqual([])
  expect(await readdir(await orders.diskPath())).toContain('base')
  expect(await orders.startFresh()).toMatchObject({ status: 200, body: { actual: 'ready' } })
}

type Damage = { reason: string; damage: (ports: { image: string; host: HostUnderTest; disk: string }) => unknown }
const damages: Damage[] = [
  { reason: 'missing', damage: ({ image }) => rm(image) },
  { reason: 'missing', damage: ({ image }) => rm(path.dirname(path.dirname(image)), { recursive: true }) },
  { reason: 'corrupt', damage: ({ image }) => writeFile(image, '{"version":') },
  { reason: 'other-version', damage: ({ image }) => writeFile(image, '{"version":"0","token":"old"}') },
  { reason: 'other-version', damage: ({ host }) => rm(path.join(host.directory, 'guest-1'), { recursive: true }) },
  { reason: 'disk-changed', damage: ({ disk }) => writeFile(path.join(disk, 'base'), 'written behind its back') },
  {
    reason: 'restore-failed',
    damage: ({ host }) => {
      host.driver.startFromMemory = () => Promise.reject(new Error('no such device'))
    },
  },
  {
    reason: 'guest-silent',
    damage: ({ host }) => {
      host.guest.closeAllConnections()
      host.guest.close()
    },
  },
]

test.each(damages)(
  'C6: unusable memory ($reason) is dropped and reported as such; the disk is left alone',
  async ({ reason, damage }) => {
    const { host, sandbox, orders, image } = await pausedOnDisk()
    await using _ = host
    const guestDirectory = path.join(host.directory, 'guest-1')
    await damage({ image, host, disk: await orders.diskPath() })
    const failed = await orders.wake()
    expect(failed.body).toMatchObject({ error: { code: 'sandbox.memory-unusable', details: { reason } } })
    expect(failed.status).toBe(409)
    if (reason === 'guest-silent') return
    await writeFile(guestDirectory, '').catch(() => undefined)
    await expectLost({ host, orders })
    expect(host.events.filter((event) => event.type === 'boot-ended')).toMatchObject([
      { bootId: sandbox.bootId, cause: 'stopped' },
    ])
  },
)

test('C6: if the disk of a paused sandbox is gone, its memory is dropped, and the order ends', async () => {
  const { host, orders } = await pausedOnDisk()
  await using _ = host
  const disk = await orders.diskPath()
  await rm(disk, { recursive: true, force: true })
  const failed = await orders.wake()
  expect(failed.body).toMatchObject({ error: { code: 'sandbox.memory-unusable', details: { reason: 'disk-changed' } } })
  expect(await orders.state()).toMatchObject({ actual: 'stopped', diskUsedBytes: null })
  const started = await orders.startFresh()
  expect(started.body).toMatchObject({ actual: 'ready', diskRestoredFrom: expect.any(Number) })
  expect(await readdir(disk)).toContain('base')
})

test('C6: a lost disk without a snapshot is an error of its own, and no empty disk replaces it', async () => {
  const { host, orders } = await pausedOnDisk()
  await using _ = host
  await orders.stop()
  await rm(path.dirname(await orders.diskPath()), { recursive: true })
  expect(codeOf(await orders.startFresh())).toEqual([404, 'disk.not-found'])
  expect(await host.disks.listDisks()).toEqual([])
})

test('C4: a wake from the frozen copy continues with the same processes', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const memory = await orders.memory()
  await orders.pause()
  expect(await orders.memory()).toBeUndefined()
  expect(await orders.wake()).toMatchObject({
    status: 200,
    body: { from: 'frozen', sandbox: { actual: 'ready', bootId: sandbox.bootId, paused: null } },
  })
  expect(await orders.memory()).toBe(memory)
  expect(host.links.get(sandbox.sandboxId)).toMatchObject({ state: 'up', egress: 'open' })
  expect(host.handshakes.at(-1)).toMatchObject({ bootId: sandbox.bootId, origin: 'resumed' })
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect((await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandbox.sandboxId)}/health`)).status).toBe(200)
})

test('C4: a wake from the image has the memory, the boot id and the hostname, many times over', async () => {
  const { host, sandbox, orders, memory } = await pausedOnDisk()
  await using _ = host
  for (const _ of [1, 2, 3]) {
    expect(await host.driver.list()).toEqual([])
    const woken = await orders.wake()
    expect(woken).toMatchObject({ status: 200, body: { from: 'memory', sandbox: { bootId: sandbox.bootId } } })
    expect(await orders.memory()).toBe(memory)
    expect(host.handshakes.at(-1)).toMatchObject({ bootId: sandbox.bootId, hostname: 'box', origin: 'restored' })
    await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
    await host.killAndRestart()
    expect(await orders.state()).toMatchObject({ actual: 'ready' })
    expect(await orders.pause()).toMatchObject({ status: 200 })
  }
})

test.each(['ready', 'waking'] as const)(
  'A1: after a power cut, a woken sandbox is stopped and its memory is gone, whichever record the disk has (%s)',
  async (recorded) => {
    const { host, sandbox, orders } = await pausedOnDisk({ keepsFrozen: true })
    await using _ = host
    // The image is removed with a later record, which makes the earlier ones durable too.
    void host.hangAt('before disks.deleteMemoryPlace')
    expect(await orders.wake()).toMatchObject({ body: { from: 'frozen' } })
    const database = openStateDatabase(path.join(host.directory, 'state.sqlite'))
    // The record that the wake has finished is the only one that does not wait for the disk.
    await database.updateTable('boots').set({ state: recorded }).where('bootId', '=', sandbox.bootId).execute()
    await database.destroy()
    host.driver.endBoot({ bootId: sandbox.bootId, cause: 'machine-restarted', detail: 'The machine was restarted.' })
    host.links.clear()
    await host.killAndRestart()
    await expectLost({ host, orders, cause: 'machine-restarted' })
  },
)

test('wakes that are ordered at the same time are one, and the result for an awake sandbox says that it is awake', async () => {
  const { host, orders } = await pausedOnDisk()
  await using _ = host
  const answers = await Promise.all([1, 2, 3].map(() => orders.wake()))
  expect(answers.map(({ body }) => (body as { from: string }).from).sort()).toEqual(['awake', 'awake', 'memory'])
  expect(host.handshakes).toHaveLength(2)
})

test('a frozen copy that dies is not the end of the sandbox: its image wakes it', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const memory = await orders.memory()
  await orders.pause()
  host.driver.endBoot({ bootId: sandbox.bootId, cause: 'killed-outside', detail: 'by the kernel' })
  await expect.poll(() => host.events.map((event) => event.type)).toContain('frozen-dropped')
  expect(host.events.map((event) => event.type)).not.toContain('boot-ended')
  expect(await orders.state()).toMatchObject({ actual: 'paused', paused: { isFrozen: false } })
  expect(await orders.wake()).toMatchObject({ body: { from: 'memory' } })
  expect(await orders.memory()).toBe(memory)
})

test('a frozen copy that does not continue is replaced by the image', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const orders = ordersOf(host, await host.startSandbox())
  const memory = await orders.memory()
  await orders.pause()
  host.driver.thaw = () => Promise.reject(new Error('it does not move'))
  expect(await orders.wake()).toMatchObject({ body: { from: 'memory' } })
  expect(await orders.memory()).toBe(memory)
})

test('stopping or deleting a paused sandbox discards its memory immediately', async () => {
  const { host, sandbox, orders } = await pausedOnDisk({ keepsFrozen: true })
  await using _ = host
  expect(await orders.stop()).toMatchObject({ status: 200, body: { actual: 'stopped' } })
  await expectLost({ host, orders })
  const { bootId } = (await orders.state()) as { bootId: string }
  await host.request('POST', hostPaths.pause(sandbox.sandboxId), { bootId })
  expect(await host.request('DELETE', hostPaths.get(sandbox.sandboxId))).toMatchObject({ status: 204 })
  expect(await host.driver.list()).toEqual([])
  await expect.poll(() => host.disks.listMemoryPlaces()).toEqual([])
  expect(await host.disks.listDisks()).toEqual([])
})

test('new limits and a new egress policy of a paused sandbox apply when it wakes', async () => {
  const { host, sandbox, orders } = await pausedOnDisk({ keepsFrozen: true })
  await using _ = host
  const { limits } = await orders.state()
  const wanted = { limits: { ...limits, processes: 77 }, egress: { kind: 'none' } }
  expect((await host.request('PATCH', hostPaths.get(sandbox.sandboxId), wanted)).status).toBe(200)
  await orders.wake()
  expect(host.driver.limitsOf(sandbox.bootId)).toMatchObject({ processes: 77 })
  expect(host.handshakes.at(-1)).toMatchObject({ limits: { processes: 77 } })
  expect(host.links.get(sandbox.sandboxId)).toMatchObject({ state: 'up', egress: 'none' })
})

test('A3: a demotion wakes for the host alone, rescues, stops, and leaves nothing of the memory', async () => {
  const guest = answeringGuest()
  for (const keepsFrozen of [true, false]) {
    const { host, sandbox, orders } = await pausedOnDisk({ ...guest, keepsFrozen })
    await using _ = host
    const egressAtRescue: unknown[] = []
    host.guest.prependListener('request', (request) => {
      if (request.url === '/rescue') egressAtRescue.push(host.links.get(sandbox.sandboxId))
    })
    const demoted = await orders.demote()
    expect(demoted).toMatchObject({
      status: 200,
      body: { rescue: rescueReport, problem: '', sandbox: { actual: 'stopped' } },
    })
    expect(egressAtRescue).toMatchObject([{ state: 'up', egress: 'none' }])
    expect(host.links.get(sandbox.sandboxId)).toMatchObject({ egress: 'open' })
    expect(host.events.filter((event) => event.type === 'boot-ready')).toHaveLength(1)
    expect(await orders.demote()).toMatchObject({ status: 200, body: { rescue: null, sandbox: { actual: 'stopped' } } })
    await expectLost({ host, orders })
  }
})

test('C6: a demotion whose memory cannot be used, or whose guest cannot rescue, says so and stops the sandbox', async () => {
  const { host, orders, image } = await pausedOnDisk()
  await using _ = host
  await writeFile(image, 'nonsense')
  const demoted = await orders.demote()
  expect(demoted.body).toMatchObject({ rescue: null, problem: expect.stringContaining('corrupt') })
  await expectLost({ host, orders })
  const second = await pausedOnDisk({ behaviour: (_, response) => void response.writeHead(500).end('no kernel') })
  await using __ = second.host
  const refused = await second.orders.demote()
  expect(refused.body).toMatchObject({ rescue: null, problem: expect.stringContaining('no kernel') })
  await expectLost(second)
})

test('C2: a shutdown keeps the memory of what runs; what cannot be paused is stopped', async () => {
  const guest = answeringGuest()
  await using host = await startHostUnderTest(guest)
  const [first, second] = [await host.startSandbox(), await host.startSandbox()]
  const { limits, egress } = await ordersOf(host, first).state()
  const hashKey = 'cd'.repeat(32)
  await host.request('PUT', hostPaths.get(first.sandboxId), { limits, egress, hashKey })
  const { saveMemory } = host.driver
  host.driver.saveMemory = (options) =>
    options.bootId === second.bootId ? Promise.reject(new Error('no')) : saveMemory(options)
  const memory = await ordersOf(host, first).memory()
  const { body } = await host.request('POST', hostPaths.shutdown())
  expect(body).toMatchObject({ paused: [first.sandboxId], failed: [] })
  expect(guest.asked).toContain(`GET /manifest?hashKey=${hashKey}`)
  expect((body as { stopped: string[] }).stopped.sort()).toEqual([first.sandboxId, second.sandboxId].sort())
  expect(await host.driver.list()).toEqual([])
  await host.killAndRestart()
  expect(await ordersOf(host, first).wake()).toMatchObject({ body: { from: 'memory' } })
  expect(await ordersOf(host, first).memory()).toBe(memory)
  expect(await ordersOf(host, second).state()).toMatchObject({ actual: 'stopped' })
})
