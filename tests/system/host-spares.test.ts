import { execFile } from 'node:child_process'
import { readdir, truncate } from 'node:fs/promises'
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

/** Container ids of the sandboxes that run. */
async function running(): Promise<string[]> {
  const lines = (await host.leftovers()).filter((line) => line.includes('runsc-sandbox'))
  return lines.flatMap((line) => / (b[a-z0-9]{20})$/.exec(line)?.[1] ?? [])
}

/** Waits until one sandbox waits and nothing else is under way; its container id. `others` are sandboxes in use. */
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

test('O3: a new sandbox is the one that waited, fresh, with a name that it keeps from boot to boot', async () => {
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

test('after a SIGKILL of the daemon a sandbox that was a spare is found again; the spare that waited is removed', async () => {
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

test('a spare with other limits than the ones wanted is not used, and is replaced by one that has them', async () => {
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

test('a spare that dies is cleaned up, and a sandbox that is wanted meanwhile is booted', async () => {
  await start().then(({ sandboxId }) => host.request('DELETE', hostPaths.get(sandboxId)))
  const spare = await untilSpare()
  const { stdout } = await run('pgrep', ['-f', `runsc-sandbox.*${spare}`])
  process.kill(Number(stdout.split('\n')[0]), 'SIGKILL')
  await expect.poll(async () => JSON.stringify(await host.leftovers()).includes(spare), { timeout: 10_000 }).toBe(false)
  const { sandboxId } = await start()
  expect((await host.run(sandboxId, 'echo works')).output).toBe('works\n')
  await host.request('DELETE', hostPaths.get(sandboxId))
})

test('boots out of a template go on over any disk, each with its own randomness; a damaged template is replaced', async () => {
  const own = await startTestHost({
    environment: { THREADBOX_SPARE_SANDBOXES: '1', THREADBOX_BOOT_TEMPLATES: 'on' },
  })
  try {
    const ask = async (method: string, path: string, body?: unknown) => {
      const answer = await own.request(method, path, body)
      expect(answer.status).toBeLessThan(300)
      return answer.body
    }
    const spares = async () => ((await ask('GET', hostPaths.info())) as { spareSandboxes: number }).spareSandboxes
    const begin = async (sandboxId: string) => {
      const bootId = own.newBootId()
      await ask('PUT', hostPaths.get(sandboxId), order)
      await ask('POST', hostPaths.start(sandboxId), { bootId, hostname: 'wished' })
      return bootId
    }
    const random =
      'node -e "console.log(crypto.randomUUID(), Math.random())"; python3 -c "import random,uuid;print(random.random(),uuid.uuid4(),hash(\'a\'))"'
    await expect.poll(spares, { timeout: 60_000 }).toBe(1)
    const [first, second] = [own.newSandboxId(), own.newSandboxId()]
    await begin(first)
    await expect.poll(spares, { timeout: 60_000 }).toBe(1)
    const bootId = await begin(second)
    const seen = new Set<string>()
    for (const sandboxId of [first, second]) {
      const { output } = await own.run(sandboxId, random)
      for (const value of output.trim().split(/\s+/)) seen.add(value)
    }
    expect(seen.size).toBe(10)
    await own.run(second, 'echo kept > note; sudo touch /usr/bin/of-its-own; cd /tmp; export OF=before')
    await ask('POST', hostPaths.stop(second), { bootId })
    const again = await begin(second)
    const kept = await own.run(second, 'cat ~/note; ls /usr/bin/of-its-own; hostname; id -un')
    expect(kept.output).toMatch(/^kept\n\/usr\/bin\/of-its-own\nthreadbox-[a-z0-9]{8}\nuser\n$/)
    expect(await own.log()).toContain('a template for boots was made')
    expect(await own.log()).not.toContain('a template cannot be used')
    const places = `${own.diskDirectory}/pool/memory/templates`
    for (const name of await readdir(places)) await truncate(`${places}/${name}/image/pages.img`, 4096)
    await ask('POST', hostPaths.stop(second), { bootId: again })
    await begin(second)
    expect((await own.run(second, 'cat ~/note')).output).toBe('kept\n')
    expect(await own.log()).toContain('a template cannot be used')
  } finally {
    await own.close()
  }
})

test('C10: after a shutdown nothing waits and nothing is left', async () => {
  await untilSpare()
  expect(await host.request('POST', hostPaths.shutdown())).toMatchObject({ status: 200 })
  expect(await host.leftovers()).toEqual([])
})
