import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

const prepared = 2
const order = { limits: defaultSandboxLimits, egress: { kind: 'open' } }

let host: TestHost
beforeAll(async () => {
  host = await startTestHost({ environment: { THREADBOX_PREPARED_ALLOCATIONS: `${prepared}` } })
})
afterAll(async () => {
  await host?.close()
})

/** The namespaces of allocations, from the file names that every daemon of the installation uses. */
async function namespaces(): Promise<string[]> {
  const names = (await host.leftovers()).join('\n').match(/\btb-[a-z0-9]{6}-[a-z0-9-]+/g) ?? []
  return [...new Set(names)].sort()
}

/** Creates sandboxes until one has an allocation with another ID, and deletes those that came before one was ready. */
async function createPrepared(wanted: object): Promise<string> {
  let sandboxId = ''
  const isPrepared = async () => {
    sandboxId = host.newSandboxId()
    expect(await host.request('PUT', hostPaths.get(sandboxId), wanted)).toMatchObject({ status: 200 })
    if (!(await namespaces()).some((name) => name.endsWith(sandboxId))) return true
    await host.request('DELETE', hostPaths.get(sandboxId))
    return false
  }
  // Creations hold off the preparation: with pauses between them it need not become overdue.
  await expect.poll(isPrepared, { timeout: 60_000, interval: 1000 }).toBe(true)
  return sandboxId
}

test('a sandbox from a prepared allocation has its own egress, and its memory survives a SIGKILL of the daemon', async () => {
  const sandboxId = await createPrepared({ ...order, egress: { kind: 'none' } })
  const bootId = host.newBootId()
  const start = { bootId, hostname: 'wished' }
  expect(await host.request('POST', hostPaths.start(sandboxId), start)).toMatchObject({ status: 200 })
  expect((await host.run(sandboxId, 'hostname; sudo id -un')).output).toBe('wished\nroot\n')
  const attempt = 'python3 -c "import socket; socket.create_connection((\'198.51.100.1\', 80), 3)" 2>&1 | tail -1'
  expect((await host.run(sandboxId, attempt)).output).toContain('ConnectionRefusedError')
  expect(await host.request('POST', hostPaths.pause(sandboxId), { bootId })).toMatchObject({ status: 200 })
  await host.kill('SIGKILL')
  await host.restart()
  expect(await host.request('POST', hostPaths.wake(sandboxId), { bootId })).toMatchObject({ status: 200 })
  expect((await host.run(sandboxId, 'hostname')).output).toBe('wished\n')
  expect(await host.request('DELETE', hostPaths.get(sandboxId))).toMatchObject({ status: 204 })
})

test('C4: after a SIGKILL while allocations are made or wait, the next daemon removes them, and a shutdown leaves none', async () => {
  await expect.poll(namespaces, { timeout: 60_000 }).toHaveLength(prepared)
  const earlier = await namespaces()
  await host.kill('SIGKILL')
  await host.restart()
  // Its allocations are being made.
  await expect.poll(async () => (await namespaces()).length, { timeout: 60_000, interval: 1 }).toBeGreaterThan(0)
  const begun = await namespaces()
  expect(begun.filter((name) => earlier.includes(name))).toEqual([])
  await host.kill('SIGKILL')
  await host.restart()
  await expect.poll(namespaces, { timeout: 60_000 }).toHaveLength(prepared)
  expect((await namespaces()).filter((name) => begun.includes(name))).toEqual([])
  expect(await host.request('POST', hostPaths.shutdown())).toMatchObject({ body: { failed: [] } })
  expect((await host.leftovers()).filter((line) => /^(namespace|interface|rule|disk) /.test(line))).toEqual([])
})
