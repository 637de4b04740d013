import { hostPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { startHostUnderTest } from '../../host.test-utils.ts'
import { answeringGuest, codeOf, ordersOf } from './memory.test-utils.ts'

const GiB = 2 ** 30

test('G7: what does not fit is refused with figures, awake sandboxes keep running, and it works once memory is free', async () => {
  await using host = await startHostUnderTest({ ...answeringGuest(), keepsFrozen: false })
  const [awake, asleep] = [await host.startSandbox(), await host.startSandbox()]
  const orders = ordersOf(host, asleep)
  await orders.pause()
  host.memory.availableBytes = GiB + 1
  const refused = await orders.wake()
  expect(codeOf(refused)).toEqual([429, 'host.no-memory'])
  expect(refused.body).toMatchObject({
    error: { details: { neededBytes: expect.any(Number), availableBytes: 1, awakeSandboxes: 1 } },
  })
  expect(await orders.state()).toMatchObject({ actual: 'paused', bootId: asleep.bootId })
  expect(await ordersOf(host, awake).state()).toMatchObject({ actual: 'ready' })
  expect(codeOf(await orders.demote())).toEqual([429, 'host.no-memory'])
  expect(await orders.state()).toMatchObject({ actual: 'paused' })
  host.memory.availableBytes = 8 * GiB
  expect(await orders.wake()).toMatchObject({ status: 200, body: { from: 'memory' } })
})

test('G7: frozen copies are evicted, oldest first and no more than needed; their sandboxes stay paused', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const [first, second] = [await host.startSandbox(), await host.startSandbox()]
  for (const sandbox of [first, second]) await ordersOf(host, sandbox).pause()
  const { stop } = host.driver
  host.driver.stop = async (bootId) => {
    await stop(bootId)
    host.memory.availableBytes += GiB
  }
  await ordersOf(host, first).wake()
  await ordersOf(host, first).stop()
  host.memory.availableBytes = GiB
  expect(await ordersOf(host, first).startFresh()).toMatchObject({ status: 200 })
  expect(await ordersOf(host, second).state()).toMatchObject({ actual: 'paused', paused: { isFrozen: false } })
  const dropped = () => host.events.filter((event) => event.type === 'frozen-dropped')
  await expect.poll(dropped).toMatchObject([{ sandboxId: second.sandboxId, bootId: second.bootId }])
  expect((await host.request('GET', hostPaths.info())).body).toMatchObject({ frozenSandboxes: 0 })
  expect(await ordersOf(host, second).wake()).toMatchObject({ body: { from: 'memory' } })
})

test('a pause while memory is short evicts its frozen copy immediately', async () => {
  await using host = await startHostUnderTest(answeringGuest())
  const sandbox = await host.startSandbox()
  host.memory.availableBytes = GiB
  await ordersOf(host, sandbox).pause()
  expect(await ordersOf(host, sandbox).state()).toMatchObject({ actual: 'paused', paused: { isFrozen: false } })
  expect(await host.driver.list()).toEqual([])
})
