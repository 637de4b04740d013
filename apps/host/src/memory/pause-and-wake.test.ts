import { hostPaths, pausedSandboxSchema, wokenSandboxSchema } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { startHostUnderTest } from '../host.test-utils.ts'

test('C4: a pause keeps the memory, and a wake goes on with it: same boot, frozen or out of the image', async () => {
  await using host = await startHostUnderTest({})
  const { sandboxId, bootId } = await host.startSandbox()
  const memory = host.driver.memoryOf(bootId)
  const paused = pausedSandboxSchema.parse((await host.request('POST', hostPaths.pause(sandboxId), { bootId })).body)
  expect(paused.sandbox).toMatchObject({ actual: 'paused', bootId, paused: { isFrozen: true } })
  expect(host.driver.isFrozen(bootId)).toBe(true)
  expect(host.links.get(sandboxId)).toMatchObject({ state: 'down' })
  const woken = wokenSandboxSchema.parse((await host.request('POST', hostPaths.wake(sandboxId), { bootId })).body)
  expect(woken).toMatchObject({ from: 'frozen', sandbox: { actual: 'ready', bootId, paused: null } })
  expect(host.driver.memoryOf(bootId)).toBe(memory)
  expect(host.links.get(sandboxId)).toMatchObject({ state: 'up' })
  expect(host.handshakes.at(-1)).toMatchObject({ bootId, origin: 'resumed' })
  expect(await host.disks.listMemoryPlaces()).toEqual([])
})
