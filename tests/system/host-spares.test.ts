import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { defaultSandboxLimits } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const order = { limits: defaultSandboxLimits, egress: { kind: 'open' } }

let host: TestHost
beforeAll(async () => {
  host = await startTestHost({ environment: { THREADBOX_SPARE_SANDBOXES: '1' } })
})
afterAll(async () => {
  await host?.close()
})

afterEach(async () => {
  const { sandboxes } = (await host.request('GET', hostPaths.list())).body as { sandboxes: { sandboxId: string }[] }
  for (const { sandboxId } of sandboxes) await host.request('DELETE', hostPaths.get(sandboxId))
})

/** Container ids of the running sandboxes. */
async function running(): Promise<string[]> {
  const lines = (await host.leftovers()).filter((line) => line.includes('runsc-sandbox'))
  return lines.flatMap((line) => / (b[a-z0-9]{20})$/.exec(line)?.[1] ?? [])
}

/**
 * Resolves when there is one spare and nothing else is in progress; returns its container id. `others` are sandboxes in
 * use.
 */
async function untilSpare(others: string[] = []): Promise<string> {
  const counts = async () => {
    const { spareSandboxes } = (await host.request('GET', hostPaths.info())).body as { spareSandboxes: number }
    return [spareSandboxes, (await running()).length - others.length]
  }
  await expect.poll(counts, { timeout: 30_000, interval: 100 }).toEqual([1, 1])
  const [spare] = (await running()).filter((id) => !others.includes(id))
  return spare!
}

async function start(limits = order.limits) {
  const sandboxId = host.newSandboxId()
  const bootId = host.newBootId()
  expect(await host.request('PUT', hostPaths.get(sandboxId), { ...order, limits })).toMatchObject({ status: 200 })
  const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'wished' })
  expect(answer).toMatchObject({ status: 200, body: { actual: 'ready', bootId } })
  return { sandboxId, bootId }
}

test('G2: a spare that becomes a sandbox without egress reaches nothing', async () => {
  const spare = await untilSpare()
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  await host.request('PUT', hostPaths.get(sandboxId), { ...order, egress: { kind: 'none' } })
  await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'wished' })
  expect(await running()).toEqual([spare])
  // Nothing responds at this address: without the policy, the attempt would wait.
  const attempt = 'python3 -c "import socket; socket.create_connection((\'198.51.100.1\', 80), 3)" 2>&1 | tail -1'
  expect((await host.run(sandboxId, attempt)).output).toContain('ConnectionRefusedError')
})

test('O3: a new sandbox is the spare, fresh, with a name that it keeps from boot to boot', async () => {
  const spare = await untilSpare()
  const { sandboxId, bootId } = await start()
  expect(await running()).toEqual([spare])
  const first = await host.run(sandboxId, 'hostname; ls ~; sudo id -un')
  expect(first.output).toMatch(/^threadbox-[a-z0-9]{8}\nroot\n$/)
  await host.request('POST', hostPaths.stop(sandboxId), { bootId })
  const again = { bootId: host.newBootId(), hostname: 'wished' }
  expect(await host.request('POST', hostPaths.start(sandboxId), again)).toMatchObject({ status: 200 })
  const second = await host.run(sandboxId, 'hostname; sudo id -un')
  expect(second.output).toBe(first.output)
  await host.request('DELETE', hostPaths.get(sandboxId))
})

test('after a SIGKILL of the daemon a sandbox that was a spare is found again; the unused spare is removed', async () => {
  const spare = await untilSpare()
  const { sandboxId, bootId } = await start()
  const next = await untilSpare([spare])
  await host.kill('SIGKILL')
  await host.restart()
  expect(await host.request('GET', hostPaths.get(sandboxId))).toMatchObject({ body: { actual: 'ready', bootId } })
  expect((await host.run(sandboxId, 'echo still here')).output).toBe('still here\n')
  expect(await running()).not.toContain(next)
  await host.request('DELETE', hostPaths.get(sandboxId))
})

test('C4: a sandbox that was a spare pauses and wakes, frozen and from disk, over a SIGKILL of the daemon too', async () => {
  await untilSpare()
  const { sandboxId, bootId } = await start()
  const started = await host.run(sandboxId, 'nohup sleep 4321 > /dev/null 2>&1 & echo $!; hostname')
  for (const round of ['frozen', 'memory'] as const) {
    expect(await host.request('POST', hostPaths.pause(sandboxId), { bootId })).toMatchObject({ status: 200 })
    if (round === 'memory') {
      await host.request('POST', hostPaths.shutdown())
      await host.kill('SIGKILL')
      await host.restart()
    }
    const woken = await host.request('POST', hostPaths.wake(sandboxId), { bootId })
    expect(woken).toMatchObject({ status: 200, body: { from: round, sandbox: { bootId } } })
    expect((await host.run(sandboxId, 'pgrep sleep; hostname')).output).toBe(started.output)
  }
  await host.request('DELETE', hostPaths.get(sandboxId))
})

test('a spare with other limits than requested is not used, and is replaced by one with those limits', async () => {
  const spare = await untilSpare()
  const limits = { ...order.limits, memoryBytes: 2 ** 30 }
  const { sandboxId, bootId } = await start(limits)
  expect((await host.run(sandboxId, 'free -m | awk "/Mem/ {print \\$2}"')).output).toBe('1024\n')
  const replaced = await untilSpare([bootId])
  expect(replaced).not.toBe(spare)
  await host.request('DELETE', hostPaths.get(sandboxId))
  const second = await start(limits)
  expect(await running()).toContain(replaced)
  await host.request('DELETE', hostPaths.get(second.sandboxId))
})

test('a spare that dies is cleaned up, and a sandbox that is ordered at that time is booted', async () => {
  await start().then(({ sandboxId }) => host.request('DELETE', hostPaths.get(sandboxId)))
  const spare = await untilSpare()
  const { stdout } = await run('pgrep', ['-f', `runsc-sandbox.*${spare}`])
  process.kill(Number(stdout.split('\n')[0]), 'SIGKILL')
  await expect.poll(async () => JSON.stringify(await host.leftovers()).includes(spare), { timeout: 10_000 }).toBe(false)
  const { sandboxId } = await start()
  expect((await host.run(sandboxId, 'echo works')).output).toBe('works\n')
  await host.request('DELETE', hostPaths.get(sandboxId))
})

test('C10: after a shutdown no spare and nothing else is left', async () => {
  await untilSpare()
  expect(await host.request('POST', hostPaths.shutdown())).toMatchObject({ status: 200, body: { failed: [] } })
  expect(await host.leftovers()).toEqual([])
})
