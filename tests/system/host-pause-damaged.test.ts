import { execFile } from 'node:child_process'
import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { hostPaths } from '@threadbox/protocol/host'
import { startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Pausing, pausingOn, type Sandbox } from './host-pause/pausing.ts'

const run = promisify(execFile)

let host: TestHost
let sandboxes: Pausing
beforeAll(async () => {
  host = await startTestHost()
  sandboxes = pausingOn(host)
})
afterAll(async () => {
  await host?.close()
})
/** Sandboxes that several tests use. */
const shared = new Set<string>()
afterEach(() => sandboxes.deleteAllBut(shared))

describe('memory that cannot be used', () => {
  type Damage = [reason: string, how: string, damage: (image: string, disk: string) => Promise<unknown>]
  const edit = async (image: string, change: (description: { version: string; cpuFeatures: string[] }) => unknown) => {
    const file = path.join(image, 'image.json')
    const description = JSON.parse(await readFile(file, 'utf8'))
    change(description)
    await writeFile(file, JSON.stringify(description))
  }
  const damages: Damage[] = [
    ['missing', 'it is gone', (image) => rm(path.dirname(image), { recursive: true })],
    ['missing', 'a file of it is gone', (image) => rm(path.join(image, 'pages.img'))],
    ['corrupt', 'it is cut short', (image) => truncate(path.join(image, 'pages.img'), 4096)],
    ['other-version', 'another runsc made it', (image) => edit(image, (it) => Object.assign(it, { version: 'v0' }))],
    ['cpu-features', 'this processor lacks something', (image) => edit(image, (it) => it.cpuFeatures.push('mmx3'))],
    [
      'disk-changed',
      'the disk was written to',
      (_, disk) => writeFile(path.join(disk, 'home/user/note'), 'by the host'),
    ],
    [
      'restore-failed',
      'its bytes are others',
      async (image) => {
        const file = path.join(image, 'checkpoint.img')
        await writeFile(file, Buffer.alloc((await readFile(file)).length, 'x'))
      },
    ],
  ]
  let neighbor: Sandbox
  let before: Awaited<ReturnType<Pausing['inspect']>>
  const damaged = new Map<string, Sandbox>()

  // All of them sleep through one restart of the daemon.
  beforeAll(async () => {
    neighbor = await sandboxes.start()
    before = await sandboxes.inspect(neighbor)
    for (const [, how] of damages) {
      const sandbox = await sandboxes.start({ withWork: false })
      damaged.set(how, sandbox)
      await host.run(sandbox.sandboxId, 'echo kept > kept; sync')
      await sandboxes.pause(sandbox)
    }
    await sandboxes.pause(neighbor)
    for (const { sandboxId } of [neighbor, ...damaged.values()]) shared.add(sandboxId)
    await host.request('POST', hostPaths.shutdown())
    await host.kill('SIGTERM')
    await host.restart()
  })
  afterAll(async () => {
    for (const sandboxId of shared) await host.request('DELETE', hostPaths.get(sandboxId))
    shared.clear()
  })

  test.each(damages)('C6: %s, because %s: the next start has the disk', async (reason, how, damage) => {
    const sandbox = damaged.get(how)
    if (sandbox === undefined) throw new Error('it was not started')
    await damage(
      await sandboxes.imageOf(sandbox),
      path.join(host.diskDirectory, 'pool/disks', sandbox.sandboxId, 'root'),
    )
    const failed = await host.request('POST', hostPaths.wake(sandbox.sandboxId), { bootId: sandbox.bootId })
    expect(failed).toMatchObject({
      status: 409,
      body: { error: { code: 'sandbox.memory-unusable', details: { reason } } },
    })
    expect(await sandboxes.stateOf(sandbox)).toMatchObject({ actual: 'stopped', lastBootEnd: { cause: 'stopped' } })
    const again = { bootId: host.newBootId(), hostname: 'box' }
    expect(await host.request('POST', hostPaths.start(sandbox.sandboxId), again)).toMatchObject({ status: 200 })
    expect((await host.run(sandbox.sandboxId, 'cat kept')).output).toBe('kept\n')
    await host.request('DELETE', hostPaths.get(sandbox.sandboxId))
  })

  test('C6: next to sandboxes with unusable memory, another one wakes with its own, and nothing of their memory is left', async () => {
    expect(await sandboxes.wake(neighbor)).toMatchObject({ from: 'memory' })
    expect(await sandboxes.inspect(neighbor)).toMatchObject({ pid: before.pid, kept: 'still here' })
    await expect.poll(sandboxes.memoryLeft).toEqual([])
  })

  test('C6: a lost disk is restored to its state at the pause, and the response says so', async () => {
    const sandbox = await sandboxes.start({ withWork: false })
    await host.run(sandbox.sandboxId, 'echo kept > kept; sync')
    await sandboxes.pause(sandbox)
    await sandboxes.wake(sandbox)
    await host.run(sandbox.sandboxId, 'echo later > later; sync')
    await host.request('POST', hostPaths.stop(sandbox.sandboxId), { bootId: sandbox.bootId })
    const root = path.join(host.diskDirectory, 'pool/disks', sandbox.sandboxId, 'root')
    await run('btrfs', ['subvolume', 'delete', root])
    const again = { bootId: host.newBootId(), hostname: 'box' }
    const started = await host.request('POST', hostPaths.start(sandbox.sandboxId), again)
    expect(started).toMatchObject({ status: 200, body: { actual: 'ready', diskRestoredFrom: expect.any(Number) } })
    expect((await host.run(sandbox.sandboxId, 'cat kept; ls later')).output).toContain('kept\n')
    expect((await host.run(sandbox.sandboxId, 'test -e later')).exitCode).toBe(1)
  })
})
