import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MiB = 1024 * 1024
const limitBytes = 256 * MiB
const limits = { memoryBytes: 1024 * MiB, cpus: 2, processes: 128, diskBytes: limitBytes }

let host: TestHost
let sandboxId: string

beforeAll(async () => {
  host = await startTestHost()
  sandboxId = host.newSandboxId()
  await host.request('PUT', hostPaths.get(sandboxId), { limits, egress: { kind: 'open' } })
  const started = await host.request('POST', hostPaths.start(sandboxId), { bootId: host.newBootId(), hostname: 'box' })
  expect(started).toMatchObject({ status: 200 })
})
afterAll(() => host?.close())

type Shown = { size: number; used: number; avail: number }

async function shown(command = 'df -B1 --output=size,used,avail /'): Promise<Shown> {
  const { output, exitCode } = await host.run(sandboxId, command)
  expect(exitCode, output).toBe(0)
  const [size = 0, used = 0, avail = 0] = (output.trim().split('\n').at(-1) ?? '').trim().split(/\s+/).map(Number)
  return { size, used, avail }
}

test('G7: df shows the disk’s limit as its size, with its used and free space', async () => {
  const all = await shown()
  expect(all.size).toBe(limitBytes)
  expect(all.used + all.avail).toBe(limitBytes)
  for (const where of ['/home/user', '/tmp', '/usr/bin/..']) {
    expect((await shown(`df -B1 --output=size,used,avail ${where}`)).size).toBe(limitBytes)
  }
  const { output } = await host.run(sandboxId, 'df -h / && bash -lc "df -m /" && sudo df -P /')
  expect(output).toMatch(/^Filesystem +Size +Used Avail Use% Mounted on$/m)
  expect(output).toMatch(/^\S+ +256M +\S+ +\S+ +\d+% \/$/m)
  expect(output).toMatch(/^\S+ +256 +\d+ +\d+ +\d+% \/$/m)
  expect(output).toMatch(/^\S+ +262144 +\d+ +\d+ +\d+% \/$/m)
})

test('G7: df follows writes, deletions and a changed limit within seconds', async () => {
  const before = await shown()
  await host.run(sandboxId, 'head -c 64M /dev/urandom > ~/big')
  await expect.poll(async () => (await shown()).used).toBeGreaterThanOrEqual(before.used + 60 * MiB)
  await host.run(sandboxId, 'rm ~/big && sync')
  await expect.poll(async () => (await shown()).used).toBeLessThan(before.used + 16 * MiB)
  const change = await host.request('PATCH', hostPaths.get(sandboxId), {
    limits: { ...limits, diskBytes: 2 * limitBytes },
  })
  expect(change).toMatchObject({ status: 200 })
  await expect.poll(async () => (await shown()).size).toBe(2 * limitBytes)
})

test('the image’s df handles what the guest’s cannot, including its errors', async () => {
  expect((await host.run(sandboxId, 'df -i / | head -1')).output).toContain('IUse%')
  const missing = await host.run(sandboxId, 'df /nowhere')
  expect(missing.exitCode).toBe(1)
  expect(missing.output).toContain('/nowhere')
  const { output } = await host.run(sandboxId, 'df')
  expect(output).toMatch(/^\S+ .* \/$/m)
  expect(output).not.toContain('/.guest')
})
