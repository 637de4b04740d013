import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { demotedSandboxSchema, fileChangesSchema, gatewayPaths, hostPaths } from '@threadbox/protocol/host'
import { sandboxPids, startTestHost, type TestHost } from '@threadbox/testkit'
import { boundaries, repeats, seeded } from '@threadbox/testkit/repeats'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { comesTo } from '../stack/comes-to.ts'
import { type Pausing, pausingOn, type Sandbox } from './host-pause/pausing.ts'

const run = promisify(execFile)
const MiB = 1024 * 1024
const budgets = { timeBudgetMs: 20_000, totalBytes: 64 * MiB, variableBytes: 16 * MiB }

let host: TestHost
let sandboxes: Pausing
beforeAll(async () => {
  host = await startTestHost()
  sandboxes = pausingOn(host)
})
afterAll(async () => {
  await host?.close()
})
afterEach(() => sandboxes.deleteAllBut(new Set()))

describe('a pause and what follows', () => {
  const rounds = repeats({ what: 'pauses woken alternately from RAM and from the image', byDefault: 4, full: 12 })
  test(`C4 G5: ${rounds} pauses, woken alternately from the frozen copy and from the image: same processes, nothing lost`, async () => {
    const sandbox = await sandboxes.start()
    let last = await sandboxes.inspect(sandbox)
    expect(last.kept).toBe('still here')
    for (let round = 0; round < rounds; round++) {
      const paused = await sandboxes.pause(sandbox)
      expect(paused.sandbox).toMatchObject({ actual: 'paused', bootId: sandbox.bootId, paused: { isFrozen: true } })
      if (round % 2 === 1) await sandboxes.killFrozen(sandbox)
      if (round === 3) {
        await host.kill('SIGKILL')
        await host.restart()
      }
      const woken = await sandboxes.wake(sandbox)
      expect(woken.from).toBe(round % 2 === 1 ? 'memory' : 'frozen')
      const now = await sandboxes.inspect(sandbox)
      expect(now).toMatchObject({ pid: last.pid, kept: 'still here' })
      expect(now.count).toBeGreaterThan(last.count)
      last = now
    }
    await expect.poll(sandboxes.memoryLeft).toEqual([])
  })

  test('a pause reports what is alive, rejects other requests until it ends, and returns the same when repeated', async () => {
    const sandbox = await sandboxes.start()
    const { pid } = await sandboxes.inspect(sandbox)
    const paused = await sandboxes.pause(sandbox)
    expect(paused.manifestProblem).toBe('')
    expect(paused.manifest?.processes.map((process) => String(process.pid))).toContain(pid)
    expect(paused.manifest?.ports.map(({ port }) => port)).toContain(8000)
    expect(paused.manifest?.deletedOpenFiles).toMatchObject([{ pid: Number(pid), bytes: 10 }])
    const refused = await host.request('GET', `${gatewayPaths.guest(sandbox.sandboxId)}/health`)
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'sandbox.paused' } } })
    expect(await sandboxes.pause(sandbox)).toEqual(paused)
    const woken = await Promise.all([1, 2, 3].map(() => sandboxes.wake(sandbox)))
    expect(woken.map(({ from }) => from).sort()).toEqual(['awake', 'awake', 'frozen'])
  })

  test('A1: a sandbox that slept when the machine went down wakes with its memory, from the disk alone', async () => {
    const sandbox = await sandboxes.start()
    const before = await sandboxes.inspect(sandbox)
    await sandboxes.pause(sandbox)
    await host.kill('SIGKILL')
    // The state after a restart of the machine: no process, no namespace, no interface, an unmounted pool.
    for (const line of await host.leftovers()) {
      const [kind, name = ''] = line.split(' ')
      if (kind === 'process') process.kill(Number(name), 'SIGKILL')
    }
    for (const [program, ...flags] of [
      ['ip', 'netns', 'delete', await sandboxes.namespaceOf()],
      ['nft', 'delete', 'table', 'inet', `threadbox_${host.installation}`],
      ['umount', path.join(host.diskDirectory, 'pool')],
    ] as const) {
      await run(program, flags)
    }
    await host.restart()
    expect(await sandboxes.stateOf(sandbox)).toMatchObject({ actual: 'paused', paused: { isFrozen: false } })
    expect((await sandboxes.wake(sandbox)).from).toBe('memory')
    expect(await sandboxes.inspect(sandbox)).toMatchObject({ pid: before.pid, kept: 'still here' })
    expect((await host.run(sandbox.sandboxId, 'getent hosts nothing.invalid; echo asked')).output).toBe('asked\n')
  })

  test('files that change after a wake are reported by name, compared with the pause', async () => {
    const sandbox = await sandboxes.start({ withWork: false })
    await host.run(sandbox.sandboxId, 'mkdir d; echo 1 > d/gone; echo 1 > changed; echo 1 > same; sync')
    await sandboxes.pause(sandbox)
    await sandboxes.wake(sandbox)
    await host.run(sandbox.sandboxId, 'rm -r d; echo 2 > changed; echo 1 > new')
    const { body } = await host.request('GET', hostPaths.fileChanges(sandbox.sandboxId))
    const changes = fileChangesSchema.parse(body)
    const home = (names: string[]) => names.filter((name) => name.startsWith('home/user/')).sort()
    expect(home(changes.removed)).toEqual(['home/user/d', 'home/user/d/gone'])
    expect(home(changes.changed)).toEqual(['home/user/changed'])
    expect(home(changes.added)).toEqual(['home/user/new'])
  })

  test('G7: a sandbox that cannot be saved for lack of space continues, with its memory and its link', async () => {
    const sandbox = await sandboxes.start()
    const before = await sandboxes.inspect(sandbox)
    const filler = path.join(host.diskDirectory, 'pool/filler')
    const { stdout } = await run('df', ['--output=avail', '--block-size=1', path.dirname(filler)])
    await run('fallocate', ['--length', String(Number(stdout.split('\n')[1]) - 80 * MiB), filler])
    const failed = await host.request('POST', hostPaths.pause(sandbox.sandboxId), { bootId: sandbox.bootId })
    await rm(filler)
    await run('btrfs', ['filesystem', 'sync', path.dirname(filler)])
    expect(failed).toMatchObject({ status: 507, body: { error: { code: 'sandbox.no-room-for-memory' } } })
    expect(await sandboxes.stateOf(sandbox)).toMatchObject({ actual: 'ready' })
    expect(await sandboxes.inspect(sandbox)).toMatchObject({ pid: before.pid })
    await sandboxes.pause(sandbox)
    await sandboxes.wake(sandbox)
  })
})

describe('discarded memory', () => {
  test('A3 A4: a demotion rescues, ends everything, and keeps the files; after the next start a pause keeps memory again', async () => {
    const sandbox = await sandboxes.start()
    await host.run(sandbox.sandboxId, 'echo kept > kept')
    await sandboxes.pause(sandbox)
    const answer = await host.request('POST', hostPaths.demote(sandbox.sandboxId), { bootId: sandbox.bootId, budgets })
    const { rescue, problem } = demotedSandboxSchema.parse(answer.body)
    expect(problem).toBe('')
    expect(rescue?.processes.map(({ commandLine }) => commandLine.join(' '))).toContain('python3 counter.py')
    expect(await sandboxes.stateOf(sandbox)).toMatchObject({ actual: 'stopped', lastBootEnd: { cause: 'stopped' } })
    const left = (await host.leftovers()).filter((line) => /^(process|memory|cgroup)/.test(line))
    expect(left).toEqual([])
    const again = { bootId: host.newBootId(), hostname: 'box' }
    expect(await host.request('POST', hostPaths.start(sandbox.sandboxId), again)).toMatchObject({ status: 200 })
    expect((await host.run(sandbox.sandboxId, 'cat kept; pgrep -c python3')).output).toBe('kept\n0\n')
    const next = { ...sandbox, bootId: again.bootId }
    await sandboxes.pause(next)
    expect((await sandboxes.wake(next)).from).toBe('frozen')
  })
})

describe('a daemon that is killed', () => {
  const pauseMoments = boundaries({
    of: 'a pause',
    killed: 'host daemon',
    at: ['what is alive is asked', 'memory is being saved', 'memory is being synced'],
  })
  const wakeMoments = boundaries({
    of: 'a wake from the disk',
    killed: 'host daemon',
    at: ['it was ordered', 'memory is being read'],
  })
  const pauseKills = repeats({ what: 'kills of the host daemon anywhere in a pause', byDefault: 0, full: 17 })
  const wakeKills = repeats({ what: 'kills of the host daemon anywhere in a wake from disk', byDefault: 0, full: 18 })
  /** Resolves when the next pause reaches a moment, as the disk shows it. */
  const pauseComesTo = async (
    moment: (typeof pauseMoments)[number],
    of: { sandbox: Sandbox; older: string[]; ordered: Promise<unknown> },
  ) => {
    const { sandbox, older, ordered } = of
    const file = {
      'what is alive is asked': '',
      'memory is being saved': 'image',
      'memory is being synced': 'manifest.json',
    }[moment]
    const hasReached = async () =>
      (await sandboxes.imagesOf(sandbox)).some(
        (image) => !older.includes(image) && existsSync(path.join(sandboxes.placesOf(sandbox), image, file)),
      )
    await comesTo(hasReached, ordered)
  }
  /** The state that the next daemon finds: the sandbox runs or sleeps; it has ended only if memory was in use. */
  const settle = async (sandbox: Sandbox): Promise<string> => {
    await host.restart()
    const state = await sandboxes.stateOf(sandbox)
    if (state.actual === 'paused') await sandboxes.wake(sandbox)
    return state.actual
  }

  test('C4: during a pause it leaves a sandbox that continues with everything it had', async () => {
    const sandbox = await sandboxes.start()
    let last = await sandboxes.inspect(sandbox)
    const random = seeded('kills in a pause')
    for (let kill = 0; kill < pauseMoments.length + pauseKills; kill += 1) {
      const moment = pauseMoments[kill]
      const older = await sandboxes.imagesOf(sandbox)
      const ordered = host.request('POST', hostPaths.pause(sandbox.sandboxId), { bootId: sandbox.bootId })
      ordered.catch(() => undefined)
      await (moment === undefined ? delay(random.between(10, 1000)) : pauseComesTo(moment, { sandbox, older, ordered }))
      await host.kill('SIGKILL')
      expect(['ready', 'paused']).toContain(await settle(sandbox))
      const now = await sandboxes.inspect(sandbox)
      expect(now).toMatchObject({ pid: last.pid, kept: 'still here' })
      expect(now.count).toBeGreaterThan(last.count)
      last = now
    }
    await expect.poll(sandboxes.memoryLeft).toEqual([])
  })

  test('C6: during a wake from disk it leaves a sandbox that continues, or one that has ended and says why', async () => {
    const random = seeded('kills in a wake')
    for (let kill = 0; kill < wakeMoments.length + wakeKills; kill += 1) {
      const moment = wakeMoments[kill]
      const sandbox = await sandboxes.start()
      const before = await sandboxes.inspect(sandbox)
      await sandboxes.pause(sandbox)
      await sandboxes.killFrozen(sandbox)
      const ordered = host.request('POST', hostPaths.wake(sandbox.sandboxId), { bootId: sandbox.bootId })
      ordered.catch(() => undefined)
      const hasProcess = async () => (await sandboxPids({ ...host, sandboxId: sandbox.sandboxId })).length > 0
      if (moment === 'memory is being read') await comesTo(hasProcess, ordered)
      else await delay(moment === undefined ? random.between(10, 500) : 20)
      await host.kill('SIGKILL')
      const became = await settle(sandbox)
      if (became === 'stopped') {
        expect((await sandboxes.stateOf(sandbox)).lastBootEnd).toMatchObject({
          bootId: sandbox.bootId,
          detail: expect.stringContaining('is lost'),
        })
        const again = { bootId: host.newBootId(), hostname: 'box' }
        expect(await host.request('POST', hostPaths.start(sandbox.sandboxId), again)).toMatchObject({ status: 200 })
        expect((await host.run(sandbox.sandboxId, 'ls')).output).toContain('counter.py')
      } else expect(await sandboxes.inspect(sandbox)).toMatchObject({ pid: before.pid, kept: 'still here' })
      await host.request('DELETE', hostPaths.get(sandbox.sandboxId))
      expect(await host.leftovers()).toEqual([])
    }
  })
})
