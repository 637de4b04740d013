import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gatewayPaths, hostPaths, hostSandboxSchema } from '@threadbox/protocol/host'
import { sandboxPids, startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const run = promisify(execFile)
const MiB = 1024 * 1024
const order = {
  limits: { memoryBytes: 1024 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB },
  egress: { kind: 'open' },
}

let host: TestHost
beforeAll(async () => {
  host = await startTestHost()
})
afterAll(async () => {
  await host?.close()
})

async function start(sandboxId = host.newSandboxId()) {
  const bootId = host.newBootId()
  expect(await host.request('PUT', hostPaths.get(sandboxId), order)).toMatchObject({ status: 200 })
  const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(answer).toMatchObject({ status: 200, body: { actual: 'ready', bootId } })
  return { sandboxId, bootId }
}

async function stateOf(sandboxId: string) {
  const { body } = await host.request('GET', hostPaths.get(sandboxId))
  return hostSandboxSchema.parse(body)
}

async function codeOf(method: string, path: string, body?: unknown) {
  const answer = await host.request(method, path, body)
  return [answer.status, (answer.body as { error?: { code: string } }).error?.code]
}

describe('orders', () => {
  test('an order for an unknown sandbox, or an invalid one, is rejected with its code', async () => {
    const unknown = host.newSandboxId()
    const bootId = host.newBootId()
    expect(await codeOf('GET', hostPaths.get(unknown))).toEqual([404, 'sandbox.not-found'])
    expect(await codeOf('POST', hostPaths.start(unknown), { bootId, hostname: 'box' })).toEqual([
      404,
      'sandbox.not-found',
    ])
    expect(await codeOf('POST', hostPaths.stop(unknown), { bootId })).toEqual([404, 'sandbox.not-found'])
    expect(await codeOf('GET', `${gatewayPaths.guest(unknown)}/health`)).toEqual([409, 'sandbox.not-running'])
    expect(await codeOf('DELETE', hostPaths.get(unknown))).toEqual([204, undefined])
    expect(await codeOf('PUT', hostPaths.get('..'), order)).toEqual([404, 'host.path-unknown'])
    expect(await codeOf('PUT', hostPaths.get('nonsense'), order)).toEqual([400, 'host.request-invalid'])
    expect(await codeOf('PUT', hostPaths.get(unknown), { limits: {} })).toEqual([400, 'host.request-invalid'])
    expect(await codeOf('GET', '/v1/nothing')).toEqual([404, 'host.path-unknown'])
  })

  test('orders can be sent again, and an order for another boot is rejected', async () => {
    const { sandboxId, bootId } = await start()
    const again = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
    expect(again).toMatchObject({ status: 200, body: { bootId } })
    const other = host.newBootId()
    const refused = [409, 'sandbox.other-boot']
    expect(await codeOf('POST', hostPaths.start(sandboxId), { bootId: other, hostname: 'box' })).toEqual(refused)
    expect(await codeOf('POST', hostPaths.stop(sandboxId), { bootId: other })).toEqual(refused)
    for (const _ of [1, 2]) {
      const stopped = await host.request('POST', hostPaths.stop(sandboxId), { bootId })
      expect(stopped).toMatchObject({
        status: 200,
        body: { actual: 'stopped', lastBootEnd: { bootId, cause: 'stopped' } },
      })
    }
    expect(await codeOf('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })).toEqual([
      409,
      'sandbox.boot-used',
    ])
    await host.request('DELETE', hostPaths.get(sandboxId))
  })

  test('two starts of one boot at the same time are one boot; of two boots, one is rejected', async () => {
    const sandboxId = host.newSandboxId()
    await host.request('PUT', hostPaths.get(sandboxId), order)
    const [bootId, other] = [host.newBootId(), host.newBootId()]
    const answers = await Promise.all(
      [bootId, bootId, other].map((id) =>
        host.request('POST', hostPaths.start(sandboxId), { bootId: id, hostname: 'box' }),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 409])
    await host.request('DELETE', hostPaths.get(sandboxId))
  })

  test('limits of a running sandbox change immediately, inside and out', async () => {
    const { sandboxId } = await start()
    const limits = { ...order.limits, processes: 40, memoryBytes: 512 * MiB }
    expect(await host.request('PATCH', hostPaths.get(sandboxId), { limits })).toMatchObject({ status: 200 })
    expect((await stateOf(sandboxId)).limits).toEqual(limits)
    expect((await host.run(sandboxId, 'ulimit -u')).output.trim()).toBe('40')
    await host.request('DELETE', hostPaths.get(sandboxId))
  })
})

describe('boots', () => {
  test('C2: a command and its background processes outlive a SIGKILL of the host daemon', async () => {
    const { sandboxId, bootId } = await start()
    const command = 'echo kept > note; nohup sleep 4321 > /dev/null 2>&1 & echo $!'
    const pid = (await host.run(sandboxId, command)).output.trim()
    expect(pid).toMatch(/^\d+$/)
    await host.kill('SIGKILL')
    await host.restart()
    expect(await stateOf(sandboxId)).toMatchObject({ actual: 'ready', bootId })
    const after = await host.run(sandboxId, `cat note; tr '\\0' ' ' < /proc/${pid}/cmdline`)
    expect(after.output).toBe('kept\nsleep 4321 ')
    await host.request('DELETE', hostPaths.get(sandboxId))
  })

  test('C2: SIGTERM ends the daemon only; shutdown keeps files and memory of every boot', async () => {
    const { sandboxId, bootId } = await start()
    await host.run(sandboxId, 'echo kept > note')
    await host.kill('SIGTERM')
    await host.restart()
    expect(await stateOf(sandboxId)).toMatchObject({ actual: 'ready', bootId })
    await host.run(sandboxId, 'nohup sleep 4321 > /dev/null 2>&1 &')
    const answer = await host.request('POST', hostPaths.shutdown())
    expect(answer).toMatchObject({ status: 200, body: { paused: [sandboxId], failed: [] } })
    expect(await stateOf(sandboxId)).toMatchObject({ actual: 'paused', bootId, paused: { isFrozen: false } })
    expect((await host.leftovers()).filter((line) => line.startsWith('process'))).toEqual([])
    const refused = await codeOf('POST', hostPaths.start(sandboxId), { bootId: host.newBootId(), hostname: 'box' })
    expect(refused).toEqual([503, 'host.shutting-down'])
    await host.kill('SIGTERM')
    await host.restart()
    const woken = await host.request('POST', hostPaths.wake(sandboxId), { bootId })
    expect(woken).toMatchObject({ status: 200, body: { from: 'memory', sandbox: { actual: 'ready', bootId } } })
    expect((await host.run(sandboxId, 'cat note; pgrep -c sleep')).output).toBe('kept\n1\n')
    await host.request('DELETE', hostPaths.get(sandboxId))
  })

  test('`sudo kill -9 1` ends the boot with its cause, and the next start works on the same files', async () => {
    const { sandboxId, bootId } = await start()
    using events = await host.events()
    await host.run(sandboxId, 'echo kept > note; sync')
    const broken = host.run(sandboxId, 'sudo kill -9 1; sleep 60')
    await expect(broken).rejects.toThrow()
    const ended = await events.next((event) => event.type === 'boot-ended' && event.bootId === bootId)
    expect(ended).toMatchObject({ cause: 'killed-inside', sandboxId })
    expect(await stateOf(sandboxId)).toMatchObject({ actual: 'stopped', lastBootEnd: { cause: 'killed-inside' } })
    await start(sandboxId)
    expect((await host.run(sandboxId, 'cat note')).output).toBe('kept\n')
    await host.request('DELETE', hostPaths.get(sandboxId))
  })

  test('a sandbox that is killed from the host is reported as such, and leaves nothing running', async () => {
    const { sandboxId, bootId } = await start()
    using events = await host.events()
    const { stdout } = await run('pgrep', ['-f', `runsc-sandbox.*${bootId}`])
    process.kill(Number(stdout.split('\n')[0]), 'SIGKILL')
    const ended = await events.next((event) => event.type === 'boot-ended' && event.bootId === bootId)
    expect(ended).toMatchObject({ cause: 'killed-outside' })
    await host.request('DELETE', hostPaths.get(sandboxId))
  })

  test('a daemon that is killed during starts leaves no unknown boot', async () => {
    const sandboxIds = [host.newSandboxId(), host.newSandboxId(), host.newSandboxId()]
    for (const sandboxId of sandboxIds) await host.request('PUT', hostPaths.get(sandboxId), order)
    for (const [index, sandboxId] of sandboxIds.entries()) {
      const bootId = host.newBootId()
      const started = host
        .request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
        .catch(() => undefined)
      // Three moments of a start, which takes some hundred milliseconds.
      await new Promise((resolve) => setTimeout(resolve, 40 + index * 90))
      await host.kill('SIGKILL')
      await started
      await host.restart()
      const state = await stateOf(sandboxId)
      const processes = (await host.leftovers()).filter((line) => line.startsWith('process') && line.includes(bootId))
      if (state.actual === 'stopped') expect(processes).toEqual([])
      else expect(state).toMatchObject({ actual: 'ready', bootId })
      await start(state.actual === 'stopped' ? sandboxId : host.newSandboxId())
    }
    const { body } = await host.request('GET', hostPaths.list())
    for (const { sandboxId } of (body as { sandboxes: { sandboxId: string }[] }).sandboxes) {
      await host.request('DELETE', hostPaths.get(sandboxId))
    }
    expect(await host.leftovers()).toEqual([])
  })
})

describe('deletion', () => {
  test('C10: nothing of a deleted sandbox is left on the machine', async () => {
    const { sandboxId, bootId } = await start()
    await host.run(sandboxId, 'nohup sleep 4321 > /dev/null 2>&1 & head -c 1000000 /dev/urandom > data')
    // A name that exists nowhere: the query alone leaves traces in firewall and forwarder.
    await host.run(sandboxId, 'getent hosts nothing.invalid; true')
    const before = await host.leftovers()
    for (const kind of ['process', 'namespace', 'interface', 'cgroup', 'rule', 'disk', 'file']) {
      expect(before.filter((line) => line.startsWith(kind))).not.toEqual([])
    }
    expect(await host.request('DELETE', hostPaths.get(sandboxId))).toMatchObject({ status: 204 })
    expect(await host.leftovers()).toEqual([])
    const subvolumes = await run('btrfs', ['subvolume', 'list', `${host.diskDirectory}/pool`])
    expect(subvolumes.stdout).not.toContain(sandboxId)
    expect(await readFile('/proc/self/mounts', 'utf8')).not.toContain(bootId)
  })

  test('C10: a deletion that a SIGKILL of the daemon interrupts is finished by the next one', async () => {
    const { sandboxId } = await start()
    const deleted = host.request('DELETE', hostPaths.get(sandboxId)).catch(() => undefined)
    // The deletion has been recorded when the sandbox’s processes end; its disk is still there.
    const pids = () => sandboxPids({ dataDirectory: host.dataDirectory, sandboxId })
    await expect.poll(pids, { timeout: 20_000, interval: 1 }).toEqual([])
    await host.kill('SIGKILL')
    await deleted
    await host.restart()
    expect(await codeOf('GET', hostPaths.get(sandboxId))).toEqual([404, 'sandbox.not-found'])
    expect(await host.leftovers()).toEqual([])
  })
})

describe('isolation of names', () => {
  test('G2: a new sandbox sees nothing of an earlier one', async () => {
    const first = await start()
    await host.run(first.sandboxId, 'echo secret > ~/note; export K=v; nohup sleep 4321 >/dev/null 2>&1 &')
    const second = await start()
    const seen = await host.run(second.sandboxId, 'ls ~; echo "[$K]"; pgrep -c sleep')
    expect(seen.output).toBe('[]\n0\n')
    for (const { sandboxId } of [first, second]) await host.request('DELETE', hostPaths.get(sandboxId))
  })

  test('a boot’s access token is in neither the log nor any response', async () => {
    const { sandboxId } = await start()
    const answers = JSON.stringify(await host.request('GET', hostPaths.get(sandboxId)))
    expect(answers).not.toMatch(/[0-9a-f]{64}/)
    expect(await host.log()).not.toMatch(/[0-9a-f]{64}/)
    await host.request('DELETE', hostPaths.get(sandboxId))
  })
})
