import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import path from 'node:path'
import { guestPort } from '@threadbox/protocol/guest'
import { gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, codeOf, manifest, ordersOf } from './memory.test-utils.ts'

test('a pause that fails to save lets the sandbox continue with its memory and its link, and says why', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const memory = await orders.memory()
  host.driver.failSaving('the pool is full')
  const failed = await orders.pause()
  expect(codeOf(failed)).toEqual([503, 'sandbox.pause-failed'])
  expect(JSON.stringify(failed.body)).toContain('the pool is full')
  expect(failed.body).toMatchObject({ error: { details: { isRunning: true } } })
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId: sandbox.bootId, paused: null })
  expect(await orders.memory()).toBe(memory)
  expect(host.links.get(sandbox.sandboxId)).toMatchObject({ state: 'up' })
  expect(await host.disks.listMemoryPlaces()).toEqual([])
  expect((await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandbox.sandboxId)}/health`)).status).toBe(200)
  host.driver.failSaving(undefined)
  expect(await orders.pause()).toMatchObject({ status: 200, body: { sandbox: { actual: 'paused' } } })
})

test('C4: a pause is canceled if the sandbox is needed while its memory is being saved, and nothing of it is left', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const memory = await orders.memory()
  const { saveMemory } = host.driver
  host.driver.saveMemory = async (options) => {
    const saved = await saveMemory(options)
    expect(await orders.abandonPause()).toMatchObject({ status: 200, body: { wasUnderWay: true } })
    return saved
  }
  expect(codeOf(await orders.pause())).toEqual([409, 'sandbox.pause-abandoned'])
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId: sandbox.bootId, paused: null })
  expect(await orders.memory()).toBe(memory)
  expect(host.links.get(sandbox.sandboxId)).toMatchObject({ state: 'up' })
  expect(await host.disks.listMemoryPlaces()).toEqual([])
  expect((await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandbox.sandboxId)}/health`)).status).toBe(200)
  host.driver.saveMemory = saveMemory
  expect(await orders.pause()).toMatchObject({ status: 200, body: { sandbox: { actual: 'paused' } } })
})

test('a sandbox that is needed before it is frozen is not frozen', async () => {
  const guest = answeringGuest()
  const wanted: Promise<unknown>[] = []
  await using host = await startHostUnderTest({
    behaviour: (request, response) => {
      wanted.push(orders.abandonPause().then(() => guest.behaviour(request, response)))
    },
  })
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const { freeze } = host.driver
  let freezes = 0
  host.driver.freeze = (bootId) => {
    freezes += 1
    return freeze(bootId)
  }
  expect(codeOf(await orders.pause())).toEqual([409, 'sandbox.pause-abandoned'])
  await Promise.all(wanted)
  expect([wanted.length, freezes]).toEqual([1, 0])
  expect(await orders.state()).toMatchObject({ actual: 'ready', bootId: sandbox.bootId })
})

test('what cannot be abandoned is not: no pause, a finished one, one of another boot, an unknown sandbox', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const nothing = { status: 200, body: { wasUnderWay: false } }
  expect(await orders.abandonPause()).toMatchObject(nothing)
  const { saveMemory } = host.driver
  host.driver.saveMemory = async (options) => {
    const other = ordersOf(host, { ...sandbox, bootId: host.newBootId() })
    expect(await other.abandonPause()).toMatchObject(nothing)
    return await saveMemory(options)
  }
  expect((await orders.pause()).status).toBe(200)
  expect(await orders.abandonPause()).toMatchObject(nothing)
  expect(await orders.state()).toMatchObject({ actual: 'paused' })
  const unknown = ordersOf(host, { ...sandbox, sandboxId: host.newSandboxId() })
  expect(codeOf(await unknown.abandonPause())).toEqual([404, 'sandbox.not-found'])
})

test('a sandbox that ends while its memory is being saved has ended, with its own cause, and no image is left', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const { saveMemory } = host.driver
  host.driver.saveMemory = async (options) => {
    const saved = await saveMemory(options)
    host.driver.endBoot({ bootId: options.bootId, cause: 'memory-backstop', detail: 'too much' })
    return saved
  }
  const failed = await orders.pause()
  expect(failed.body).toMatchObject({ error: { code: 'sandbox.pause-failed', details: { isRunning: false } } })
  await expect
    .poll(orders.state)
    .toMatchObject({ actual: 'stopped', lastBootEnd: { cause: 'memory-backstop', detail: 'too much' } })
  expect(await host.disks.listMemoryPlaces()).toEqual([])
  const refused = await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandbox.sandboxId)}/health`)
  expect(refused.headers.get('threadbox-error')).toBe('sandbox.not-running')
})

test('a guest that cannot report what is alive is paused all the same, and the result says why', async () => {
  await using host = await startHostUnderTest({
    behaviour: (_, response) => void response.writeHead(500).end('the kernel is busy'),
  })
  const orders = ordersOf(host, await host.startSandbox())
  expect((await orders.pause()).body).toMatchObject({
    manifest: null,
    manifestProblem: expect.stringContaining('the kernel is busy'),
    sandbox: { actual: 'paused' },
  })
})

test('an order for another boot, or for none, is refused, and changes nothing', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const other = ordersOf(host, { ...sandbox, bootId: host.newBootId() })
  for (const order of [other.pause, other.wake, other.demote]) {
    expect(codeOf(await order())).toEqual([409, 'sandbox.other-boot'])
  }
  const orders = ordersOf(host, sandbox)
  expect(codeOf(await orders.demote())).toEqual([409, 'sandbox.not-paused'])
  expect(await orders.state()).toMatchObject({ actual: 'ready' })
  await orders.stop()
  for (const order of [orders.pause, orders.wake]) expect(codeOf(await order())).toEqual([409, 'sandbox.not-running'])
  const unknown = ordersOf(host, { ...sandbox, sandboxId: host.newSandboxId() })
  expect(codeOf(await unknown.pause())).toEqual([404, 'sandbox.not-found'])
  const path = hostPaths.pause(sandbox.sandboxId)
  const nonsense = await host.request('POST', path, { bootId: sandbox.bootId, hashKey: 'not hex' })
  expect(codeOf(nonsense)).toEqual([400, 'host.request-invalid'])
})

test('C4: the result of a pause says what was alive, and the order sent again has the same result', async () => {
  const guest = answeringGuest()
  await using host = await startHostUnderTest(guest)
  const sandbox = await host.startSandbox()
  const orders = ordersOf(host, sandbox)
  const hashKey = 'ab'.repeat(32)
  const first = await orders.pause({ hashKey })
  expect(first).toMatchObject({
    status: 200,
    body: {
      manifest,
      manifestProblem: '',
      sandbox: { actual: 'paused', bootId: sandbox.bootId, paused: { isFrozen: true } },
    },
  })
  expect(guest.asked).toEqual([`GET /manifest?hashKey=${hashKey}`])
  expect(host.driver.isFrozen(sandbox.bootId)).toBe(true)
  expect(host.links.get(sandbox.sandboxId)).toMatchObject({ state: 'down' })
  await host.killAndRestart()
  expect(await orders.pause()).toEqual(first)
  expect(guest.asked).toHaveLength(1)
})

test('while a sandbox is being paused, new requests get an error that says so; open ones end, and it is frozen after the last', async () => {
  await using host = await startHostUnderTest({
    behaviour: (request, response) => {
      if (request.url?.startsWith('/manifest')) response.end(JSON.stringify(manifest))
      else response.write('never finished')
    },
  })
  const sandbox = await host.startSandbox()
  const guest = host.gatewayUrl + gatewayPaths.guest(sandbox.sandboxId)
  const open = await fetch(`${guest}/stream`)
  const connected = await new Promise<number>((resolve) => host.guest.getConnections((_, count) => resolve(count)))
  expect(connected).toBeGreaterThan(0)
  const hanging = host.hangAt('before driver.freeze')
  const paused = ordersOf(host, sandbox).pause()
  paused.catch(() => undefined)
  await hanging
  await expect(open.text()).rejects.toThrow()
  await expect
    .poll(() => new Promise<number>((resolve) => host.guest.getConnections((_, count) => resolve(count))))
    .toBe(0)
  const refused = await fetch(`${guest}/health`)
  expect([refused.status, refused.headers.get('threadbox-error')]).toEqual([503, 'sandbox.pausing'])
  await host.killAndRestart()
})

test('a paused sandbox refuses requests with its own code, before and after a restart of the daemon', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  await ordersOf(host, sandbox).pause()
  for (const _ of [1, 2]) {
    const refused = await fetch(`${host.gatewayUrl}${gatewayPaths.guest(sandbox.sandboxId)}/health`)
    expect([refused.status, refused.headers.get('threadbox-error')]).toEqual([409, 'sandbox.paused'])
    const started = { bootId: sandbox.bootId, hostname: 'box' }
    const start = await host.request('POST', hostPaths.start(sandbox.sandboxId), started)
    expect(codeOf(start)).toEqual([409, 'sandbox.paused'])
    await host.killAndRestart()
  }
})

test('the files that a paused sandbox’s disk lacks or has in addition are found by comparison; without a pause there is nothing', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const orders = ordersOf(host, await host.startSandbox())
  expect((await orders.fileChanges()).body).toMatchObject({ since: null, removedCount: 0 })
  const disk = await orders.diskPath()
  await writeFile(path.join(disk, 'note'), 'before')
  await writeFile(path.join(disk, 'log'), 'one\n')
  await orders.pause()
  await orders.wake()
  await writeFile(path.join(disk, 'note'), 'after it')
  await writeFile(path.join(disk, 'log'), 'one\ntwo\n')
  await writeFile(path.join(disk, 'new'), '')
  const { body } = await orders.fileChanges()
  expect(body).toMatchObject({ since: expect.any(Number), changed: ['log', 'note'], added: ['new'], removed: [] })
  expect(body).toMatchObject({ extended: [{ name: 'log', addedBytes: 4 }] })
  await orders.pause()
  expect((await orders.fileChanges()).body).toMatchObject({ changedCount: 0, addedCount: 0 })
  const [{ diskId } = { diskId: '' }] = await host.disks.listMemoryPlaces()
  await expect.poll(() => host.disks.listSnapshots(diskId)).toHaveLength(1)
})

test('the number of awake sandboxes is reported whenever it changes', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const told = () => host.events.flatMap((event) => (event.type === 'awake-changed' ? [event.awakeSandboxes] : []))
  const orders = ordersOf(host, await host.startSandbox())
  const other = ordersOf(host, await host.startSandbox())
  await expect.poll(told).toEqual([1, 2])
  await orders.pause()
  await other.pause()
  await expect.poll(told).toEqual([1, 2, 1, 0])
  await orders.wake()
  await expect.poll(told).toEqual([1, 2, 1, 0, 1])
})

test('memory that exceeds its budget is reported, so that some can be discarded', async () => {
  await using host = await startHostUnderTest({ ...answeringGuest(), imageBudgetBytes: 1 })
  await ordersOf(host, await host.startSandbox()).pause()
  await expect
    .poll(() => host.events.find((event) => event.type === 'memory-budget'))
    .toMatchObject({ budgetBytes: 1, usedBytes: expect.any(Number) })
  expect((await host.request('GET', hostPaths.info())).body).toMatchObject({
    frozenSandboxes: 1,
    memoryImageBudgetBytes: 1,
    awakeSandboxes: 0,
  })
})

test('a guest that accepts a connection and stays silent does not block a pause forever', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  const address = (host.guest.address() as { address: string }).address
  host.guest.closeAllConnections()
  host.guest.close()
  const silent = createServer(() => undefined).listen(guestPort, address)
  await once(silent, 'listening')
  try {
    const paused = await ordersOf(host, sandbox).pause()
    expect(paused.body).toMatchObject({ manifest: null, sandbox: { actual: 'paused' } })
  } finally {
    silent.close()
  }
}, 15_000)
