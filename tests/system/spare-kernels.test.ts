import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Spares with a Python kernel: the first cell starts faster, and otherwise they are like any other sandbox. */
const limits = defaultSandboxLimits

let host: TestHost
beforeAll(async () => {
  host = await startTestHost({
    environment: {
      THREADBOX_SPARE_SANDBOXES: '2',
      THREADBOX_SPARE_KERNELS: 'always',
    },
  })
})
afterAll(async () => {
  await host?.close()
})

type Sandbox = { sandboxId: string; bootId: string }

async function takeSpare(wanted = limits): Promise<Sandbox> {
  const waiting = async () => (await host.request('GET', hostPaths.info())).body
  await expect.poll(waiting, { timeout: 120_000, interval: 100 }).toMatchObject({ spareSandboxes: 2 })
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  const order = { limits: wanted, egress: { kind: 'none' } }
  expect(await host.request('PUT', hostPaths.get(sandboxId), order)).toMatchObject({ status: 200 })
  const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'wished' })
  expect(answer).toMatchObject({ status: 200, body: { actual: 'ready' } })
  return { sandboxId, bootId }
}

async function remove({ sandboxId }: Sandbox): Promise<void> {
  expect(await host.request('DELETE', hostPaths.get(sandboxId))).toMatchObject({ status: 204 })
}

let cells = 0
async function cell({ sandboxId }: Sandbox, code: string): Promise<string> {
  const [client, key] = [host.runs(sandboxId), `cell-${++cells}`]
  await client.startCell({ key, code })
  let output = ''
  for await (const { event } of client.read({ key, offset: 0n, display: 0 })) {
    if (event.case === 'output') output += Buffer.from(event.value.data).toString()
  }
  return output.trim()
}

/** The single kernel of a sandbox; empty without one. */
async function kernelPid({ sandboxId }: Sandbox): Promise<string> {
  return (await host.run(sandboxId, "pgrep -f '^python3 .*[k]ernel.py'")).output.trim()
}

const random = `import random, secrets, uuid
print(hash('a string'), random.random(), secrets.token_hex(16), uuid.uuid4())`

test('O3: the first cell runs in the spare’s kernel, which shares no random number with another sandbox', async () => {
  const seen: string[] = []
  for (let count = 0; count < 2; count++) {
    const sandbox = await takeSpare()
    const waiting = await kernelPid(sandbox)
    expect(waiting).toMatch(/^\d+$/)
    expect(await cell(sandbox, 'import os; print(os.getpid(), os.getcwd())')).toBe(`${waiting} /home/user`)
    expect(await cell(sandbox, 'print(In[1:])')).toContain('os.getpid')
    seen.push(...(await cell(sandbox, random)).split(' '))
    await remove(sandbox)
  }
  expect(new Set(seen).size).toBe(8)
})

test('C4: an unused kernel is not saved with the rest, and the next cell starts one', async () => {
  const [unused, used] = [await takeSpare(), await takeSpare()]
  expect(await kernelPid(unused)).toMatch(/^\d+$/)
  const pid = await cell(used, 'import os; held = 41; print(os.getpid())')
  for (const { sandboxId, bootId } of [unused, used]) {
    expect(await host.request('POST', hostPaths.pause(sandboxId), { bootId })).toMatchObject({ status: 200 })
    expect(await host.request('POST', hostPaths.wake(sandboxId), { bootId })).toMatchObject({ status: 200 })
  }
  expect(await kernelPid(unused)).toBe('')
  expect(await cell(unused, 'print(1 + 1)')).toBe('2')
  expect(await cell(used, 'print(held, os.getpid())')).toBe(`41 ${pid}`)
  await remove(unused)
  await remove(used)
})

test('a spare that is adopted with another process limit has a kernel with that limit', async () => {
  const sandbox = await takeSpare({ ...limits, processes: 200 })
  const code = 'import resource; print(resource.getrlimit(resource.RLIMIT_NPROC)[0])'
  expect(await cell(sandbox, code)).toBe('200')
  await remove(sandbox)
})
