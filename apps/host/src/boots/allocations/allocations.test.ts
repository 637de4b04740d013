import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { expect, test } from 'vitest'
import { type HostUnderTest, startHostUnderTest } from '../../host.test-utils.ts'

const order = { limits: defaultSandboxLimits, egress: { kind: 'open' } }

async function create(host: HostUnderTest, wanted: object = order) {
  const sandboxId = host.newSandboxId()
  expect(await host.request('PUT', hostPaths.get(sandboxId), wanted)).toMatchObject({ status: 200 })
  return sandboxId
}

/** Resolves when one allocation waits that belongs to no sandbox; returns its ID. */
async function untilPrepared(host: HostUnderTest, others: string[]): Promise<string> {
  const prepared = async () => {
    const disks = (await host.disks.listDisks()).map(({ diskId }) => diskId)
    return disks.filter((id) => host.links.has(id) && !others.includes(id))
  }
  await expect.poll(prepared, { timeout: 30_000 }).toHaveLength(1)
  return (await prepared())[0] ?? ''
}

const diskIds = async (host: HostUnderTest) => (await host.disks.listDisks()).map(({ diskId }) => diskId)

/** There are two addresses: one sandbox has used a prepared allocation, and nothing else exists. */
async function withPrepared(host: HostUnderTest): Promise<string> {
  const first = await create(host)
  const prepared = await untilPrepared(host, [first])
  expect(await host.request('DELETE', hostPaths.get(first))).toMatchObject({ status: 204 })
  return prepared
}

test('a new sandbox takes a prepared disk and network, with its own limit and egress, and starts', async () => {
  await using host = await startHostUnderTest({ preparedAllocations: 1 })
  const prepared = await withPrepared(host)
  const limits = { ...defaultSandboxLimits, diskBytes: 2 * defaultSandboxLimits.diskBytes }
  const sandboxId = await create(host, { limits, egress: { kind: 'none' } })
  expect(host.links.get(prepared)).toMatchObject({ egress: 'none' })
  expect(await host.disks.diskUsage(prepared)).toMatchObject({ limitBytes: limits.diskBytes })
  const start = { bootId: host.newBootId(), hostname: 'box' }
  expect(await host.request('POST', hostPaths.start(sandboxId), start)).toMatchObject({ status: 200 })
  expect(await host.request('DELETE', hostPaths.get(sandboxId))).toMatchObject({ status: 204 })
  expect(await diskIds(host)).not.toContain(prepared)
  expect([...host.links.keys()]).not.toContain(prepared)
})

test.each([
  'before disks.createDisk',
  'after disks.createDisk',
  'before network.attach',
  'after network.attach',
] as const)('C4: a daemon that ends %s of an allocation leaves nothing of it', async (step) => {
  await using host = await startHostUnderTest({ preparedAllocations: 1 })
  const prepared = await withPrepared(host)
  const reached = host.hangAt(step)
  await create(host)
  await reached
  await host.killAndRestart()
  expect(await diskIds(host)).toEqual([prepared])
  expect([...host.links.keys()]).toEqual([prepared])
})

test('C4: a daemon that ends while allocations wait removes them at the next start', async () => {
  await using host = await startHostUnderTest({ preparedAllocations: 1 })
  await withPrepared(host)
  await host.killAndRestart()
  expect(await diskIds(host)).toEqual([])
  expect([...host.links.keys()]).toEqual([])
})

test('a shutdown removes what waits', async () => {
  await using host = await startHostUnderTest({ preparedAllocations: 1 })
  await withPrepared(host)
  expect(await host.request('POST', hostPaths.shutdown())).toMatchObject({ body: { failed: [] } })
  expect(await diskIds(host)).toEqual([])
  expect([...host.links.keys()]).toEqual([])
})

test('without a free address, sandboxes are created as long as there are any', async () => {
  await using host = await startHostUnderTest({ preparedAllocations: 5 })
  const first = await create(host)
  const prepared = await untilPrepared(host, [first])
  const second = host.newSandboxId()
  const created = async () => (await host.request('PUT', hostPaths.get(second), order)).status
  // It is refused until the prepared one is ready: there is no third address.
  await expect.poll(created).toBe(200)
  expect(host.links.size).toBe(2)
  expect(await host.request('DELETE', hostPaths.get(second))).toMatchObject({ status: 204 })
  expect(await diskIds(host)).not.toContain(prepared)
})
