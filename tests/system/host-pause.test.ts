import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  demotedSandboxSchema,
  fileChangesSchema,
  gatewayPaths,
  type HostSandbox,
  hostPaths,
  hostSandboxSchema,
  type PausedSandbox,
  pausedSandboxSchema,
  type WokenSandbox,
  wokenSandboxSchema,
} from '@threadbox/protocol/host'
import { sandboxPids, startTestHost, type TestHost } from '@threadbox/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { comesTo } from '../stack/comes-to.ts'
import { boundaries, repeats, seeded } from '../stack/repeats.ts'

const run = promisify(execFile)
const MiB = 1024 * 1024
const order = {
  limits: { memoryBytes: 1024 * MiB, cpus: 2, processes: 256, diskBytes: 1024 * MiB },
  egress: { kind: 'open' },
}
const budgets = { timeBudgetMs: 20_000, totalBytes: 64 * MiB, variableBytes: 16 * MiB }

let host: TestHost
beforeAll(async () => {
  host = await startTestHost()
})
afterAll(async () => {
  await host?.close()
})
/** Sandboxes that several tests use. */
const shared = new Set<string>()
afterEach(async () => {
  const { sandboxes } = (await host.request('GET', hostPaths.list())).body as { sandboxes: { sandboxId: string }[] }
  for (const { sandboxId } of sandboxes) {
    if (!shared.has(sandboxId)) await host.request('DELETE', hostPaths.get(sandboxId))
  }
})

/** A counter that goes on, a server with state in its memory, and a file that is open and deleted. */
const work = `
cat > counter.py <<'END'
import http.server, os, tempfile, threading, time
count = 0
kept = open('/home/user/deleted', 'w+')
kept.write('still here')
kept.flush()
os.unlink('/home/user/deleted')
def tick():
    global count
    while True:
        count += 1
        time.sleep(0.05)
threading.Thread(target=tick, daemon=True).start()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        kept.seek(0)
        body = f'{os.getpid()} {count} {kept.read()}'.encode()
        self.send_response(200)
        self.send_header('content-length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *arguments): pass
http.server.HTTPServer(('127.0.0.1', 8000), Handler).serve_forever()
END
nohup python3 counter.py > /dev/null 2>&1 &
until curl -s localhost:8000 > /dev/null; do sleep 0.05; done`

type Sandbox = { sandboxId: string; bootId: string }

async function start(options: { withWork: boolean } = { withWork: true }): Promise<Sandbox> {
  const [sandboxId, bootId] = [host.newSandboxId(), host.newBootId()]
  expect(await host.request('PUT', hostPaths.get(sandboxId), order)).toMatchObject({ status: 200 })
  const answer = await host.request('POST', hostPaths.start(sandboxId), { bootId, hostname: 'box' })
  expect(answer).toMatchObject({ status: 200, body: { actual: 'ready', bootId } })
  if (options.withWork) await host.run(sandboxId, work)
  return { sandboxId, bootId }
}

async function pause({ sandboxId, bootId }: Sandbox): Promise<PausedSandbox> {
  const answer = await host.request('POST', hostPaths.pause(sandboxId), { bootId })
  expect(answer).toMatchObject({ status: 200 })
  return pausedSandboxSchema.parse(answer.body)
}

async function wake({ sandboxId, bootId }: Sandbox): Promise<WokenSandbox> {
  const answer = await host.request('POST', hostPaths.wake(sandboxId), { bootId })
  expect(answer).toMatchObject({ status: 200 })
  return wokenSandboxSchema.parse(answer.body)
}

async function stateOf({ sandboxId }: Sandbox): Promise<HostSandbox> {
  return hostSandboxSchema.parse((await host.request('GET', hostPaths.get(sandboxId))).body)
}

/** What the server in the sandbox has in memory, asked from inside. */
async function lookAt({ sandboxId }: Sandbox) {
  const { output } = await host.run(sandboxId, 'curl -s -m 5 localhost:8000')
  const [pid = '', count = '', ...kept] = output.split(' ')
  return { pid, count: Number(count), kept: kept.join(' ') }
}

/** Ends the frozen copy of the only sandbox there is as the kernel would when memory is short. */
async function killFrozen({ bootId }: Sandbox): Promise<void> {
  using events = await host.events()
  const [kernel] = (await host.leftovers()).filter((line) => line.includes('runsc-sandbox'))
  process.kill(Number(kernel?.split(' ')[1]), 'SIGKILL')
  await events.next((event) => event.type === 'frozen-dropped' && event.bootId === bootId)
}

const placesOf = ({ sandboxId }: Sandbox) => path.join(host.diskDirectory, 'pool/memory', sandboxId)
const imagesOf = (sandbox: Sandbox) => readdir(placesOf(sandbox)).catch(() => [])

async function imageOf(sandbox: Sandbox): Promise<string> {
  const [imageId = ''] = await imagesOf(sandbox)
  return path.join(placesOf(sandbox), imageId, 'image')
}

describe('a pause and what follows', () => {
  const rounds = repeats({ what: 'pauses that are woken by turns from RAM and from the image', byDefault: 4, full: 12 })
  test(`C4 G5: ${rounds} pauses, woken by turns from the frozen copy and from the image: same processes, nothing lost`, async () => {
    const sandbox = await start()
    let last = await lookAt(sandbox)
    expect(last.kept).toBe('still here')
    for (let round = 0; round < rounds; round++) {
      const paused = await pause(sandbox)
      expect(paused.sandbox).toMatchObject({ actual: 'paused', bootId: sandbox.bootId, paused: { isFrozen: true } })
      if (round % 2 === 1) await killFrozen(sandbox)
      if (round === 3) {
        await host.kill('SIGKILL')
        await host.restart()
      }
      const woken = await wake(sandbox)
      expect(woken.from).toBe(round % 2 === 1 ? 'memory' : 'frozen')
      const now = await lookAt(sandbox)
      expect(now).toMatchObject({ pid: last.pid, kept: 'still here' })
      expect(now.count).toBeGreaterThan(last.count)
      last = now
    }
    await expect.poll(memoryLeft).toEqual([])
  })

  test('a pause says what is alive, refuses whoever comes while it lasts, and is answered the same again', async () => {
    const sandbox = await start()
    const { pid } = await lookAt(sandbox)
    const paused = await pause(sandbox)
    expect(paused.manifestProblem).toBe('')
    expect(paused.manifest?.processes.map((process) => String(process.pid))).toContain(pid)
    expect(paused.manifest?.ports.map(({ port }) => port)).toContain(8000)
    expect(paused.manifest?.deletedOpenFiles).toMatchObject([{ pid: Number(pid), bytes: 10 }])
    const refused = await host.request('GET', `${gatewayPaths.guest(sandbox.sandboxId)}/health`)
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'sandbox.paused' } } })
    expect(await pause(sandbox)).toEqual(paused)
    const woken = await Promise.all([1, 2, 3].map(() => wake(sandbox)))
    expect(woken.map(({ from }) => from).sort()).toEqual(['awake', 'awake', 'frozen'])
  })

  test('A1: what slept when the machine went down is awake again with its memory, from the disk alone', async () => {
    const sandbox = await start()
    const before = await lookAt(sandbox)
    await pause(sandbox)
    await host.kill('SIGKILL')
    // As a restart of the machine leaves it: no process, no namespace, no interface, a pool to be mounted.
    for (const line of await host.leftovers()) {
      const [kind, name = ''] = line.split(' ')
      if (kind === 'process') process.kill(Number(name), 'SIGKILL')
    }
    for (const [program, ...flags] of [
      ['ip', 'netns', 'delete', await namespaceOf()],
      ['nft', 'delete', 'table', 'inet', `threadbox_${host.installation}`],
      ['umount', path.join(host.diskDirectory, 'pool')],
    ] as const) {
      await run(program, flags)
    }
    await host.restart()
    expect(await stateOf(sandbox)).toMatchObject({ actual: 'paused', paused: { isFrozen: false } })
    expect((await wake(sandbox)).from).toBe('memory')
    expect(await lookAt(sandbox)).toMatchObject({ pid: before.pid, kept: 'still here' })
    expect((await host.run(sandbox.sandboxId, 'getent hosts nothing.invalid; echo asked')).output).toBe('asked\n')
  })

  test('files that change after a wake are told by name, against the moment of the pause', async () => {
    const sandbox = await start({ withWork: false })
    await host.run(sandbox.sandboxId, 'mkdir d; echo 1 > d/gone; echo 1 > changed; echo 1 > same; sync')
    await pause(sandbox)
    await wake(sandbox)
    await host.run(sandbox.sandboxId, 'rm -r d; echo 2 > changed; echo 1 > new')
    const { body } = await host.request('GET', hostPaths.fileChanges(sandbox.sandboxId))
    const changes = fileChangesSchema.parse(body)
    const home = (names: string[]) => names.filter((name) => name.startsWith('home/user/')).sort()
    expect(home(changes.removed)).toEqual(['home/user/d', 'home/user/d/gone'])
    expect(home(changes.changed)).toEqual(['home/user/changed'])
    expect(home(changes.added)).toEqual(['home/user/new'])
  })

  test('G7: what cannot be saved for lack of space goes on, with its memory and its link', async () => {
    const sandbox = await start()
    const before = await lookAt(sandbox)
    const filler = path.join(host.diskDirectory, 'pool/filler')
    const { stdout } = await run('df', ['--output=avail', '--block-size=1', path.dirname(filler)])
    await run('fallocate', ['--length', String(Number(stdout.split('\n')[1]) - 80 * MiB), filler])
    const failed = await host.request('POST', hostPaths.pause(sandbox.sandboxId), { bootId: sandbox.bootId })
    await rm(filler)
    await run('btrfs', ['filesystem', 'sync', path.dirname(filler)])
    expect(failed).toMatchObject({ status: 507, body: { error: { code: 'sandbox.no-room-for-memory' } } })
    expect(await stateOf(sandbox)).toMatchObject({ actual: 'ready' })
    expect(await lookAt(sandbox)).toMatchObject({ pid: before.pid })
    await pause(sandbox)
    await wake(sandbox)
  })
})

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
  let neighbour: Sandbox
  let before: Awaited<ReturnType<typeof lookAt>>
  const damaged = new Map<string, Sandbox>()

  // All of them sleep over one restart of the daemon.
  beforeAll(async () => {
    neighbour = await start()
    before = await lookAt(neighbour)
    for (const [, how] of damages) {
      const sandbox = await start({ withWork: false })
      damaged.set(how, sandbox)
      await host.run(sandbox.sandboxId, 'echo kept > kept; sync')
      await pause(sandbox)
    }
    await pause(neighbour)
    for (const { sandboxId } of [neighbour, ...damaged.values()]) shared.add(sandboxId)
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
    await damage(await imageOf(sandbox), path.join(host.diskDirectory, 'pool/disks', sandbox.sandboxId, 'root'))
    const failed = await host.request('POST', hostPaths.wake(sandbox.sandboxId), { bootId: sandbox.bootId })
    expect(failed).toMatchObject({
      status: 409,
      body: { error: { code: 'sandbox.memory-unusable', details: { reason } } },
    })
    expect(await stateOf(sandbox)).toMatchObject({ actual: 'stopped', lastBootEnd: { cause: 'stopped' } })
    const again = { bootId: host.newBootId(), hostname: 'box' }
    expect(await host.request('POST', hostPaths.start(sandbox.sandboxId), again)).toMatchObject({ status: 200 })
    expect((await host.run(sandbox.sandboxId, 'cat kept')).output).toBe('kept\n')
    await host.request('DELETE', hostPaths.get(sandbox.sandboxId))
  })

  test('C6: beside memory that cannot be used a neighbour wakes with its own, and nothing of the others is left', async () => {
    expect(await wake(neighbour)).toMatchObject({ from: 'memory' })
    expect(await lookAt(neighbour)).toMatchObject({ pid: before.pid, kept: 'still here' })
    await expect.poll(memoryLeft).toEqual([])
  })

  test('C6: a lost disk is had back as it was at the pause, and the answer says so', async () => {
    const sandbox = await start({ withWork: false })
    await host.run(sandbox.sandboxId, 'echo kept > kept; sync')
    await pause(sandbox)
    await wake(sandbox)
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

describe('memory that is given up', () => {
  test('A3 A4: a demotion rescues, ends everything, and leaves the files; after the next start a pause is hot again', async () => {
    const sandbox = await start()
    await host.run(sandbox.sandboxId, 'echo kept > kept')
    await pause(sandbox)
    const answer = await host.request('POST', hostPaths.demote(sandbox.sandboxId), { bootId: sandbox.bootId, budgets })
    const { rescue, problem } = demotedSandboxSchema.parse(answer.body)
    expect(problem).toBe('')
    expect(rescue?.processes.map(({ commandLine }) => commandLine.join(' '))).toContain('python3 counter.py')
    expect(await stateOf(sandbox)).toMatchObject({ actual: 'stopped', lastBootEnd: { cause: 'stopped' } })
    const left = (await host.leftovers()).filter((line) => /^(process|memory|cgroup)/.test(line))
    expect(left).toEqual([])
    const again = { bootId: host.newBootId(), hostname: 'box' }
    expect(await host.request('POST', hostPaths.start(sandbox.sandboxId), again)).toMatchObject({ status: 200 })
    expect((await host.run(sandbox.sandboxId, 'cat kept; pgrep -c python3')).output).toBe('kept\n0\n')
    const next = { ...sandbox, bootId: again.bootId }
    await pause(next)
    expect((await wake(next)).from).toBe('frozen')
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
  /** Resolves when a pause that comes next is there, as the disk shows it. */
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
    const isThere = async () =>
      (await imagesOf(sandbox)).some(
        (image) => !older.includes(image) && existsSync(path.join(placesOf(sandbox), image, file)),
      )
    await comesTo(isThere, ordered)
  }
  /** What the next daemon makes of it: the sandbox goes on or sleeps; it is over only if memory was in use. */
  const settle = async (sandbox: Sandbox): Promise<string> => {
    await host.restart()
    const state = await stateOf(sandbox)
    if (state.actual === 'paused') await wake(sandbox)
    return state.actual
  }

  test('C4: in the middle of a pause it leaves a sandbox that goes on, with everything that it had', async () => {
    const sandbox = await start()
    let last = await lookAt(sandbox)
    const random = seeded('kills in a pause')
    for (let kill = 0; kill < pauseMoments.length + pauseKills; kill += 1) {
      const moment = pauseMoments[kill]
      const older = await imagesOf(sandbox)
      const ordered = host.request('POST', hostPaths.pause(sandbox.sandboxId), { bootId: sandbox.bootId })
      ordered.catch(() => undefined)
      await (moment === undefined ? delay(random.between(10, 1000)) : pauseComesTo(moment, { sandbox, older, ordered }))
      await host.kill('SIGKILL')
      expect(['ready', 'paused']).toContain(await settle(sandbox))
      const now = await lookAt(sandbox)
      expect(now).toMatchObject({ pid: last.pid, kept: 'still here' })
      expect(now.count).toBeGreaterThan(last.count)
      last = now
    }
    await expect.poll(memoryLeft).toEqual([])
  })

  test('C6: in the middle of a wake from disk it leaves a sandbox that goes on, or one that is over and says why', async () => {
    const random = seeded('kills in a wake')
    for (let kill = 0; kill < wakeMoments.length + wakeKills; kill += 1) {
      const moment = wakeMoments[kill]
      const sandbox = await start()
      const before = await lookAt(sandbox)
      await pause(sandbox)
      await killFrozen(sandbox)
      const ordered = host.request('POST', hostPaths.wake(sandbox.sandboxId), { bootId: sandbox.bootId })
      ordered.catch(() => undefined)
      const hasProcess = async () => (await sandboxPids({ ...host, sandboxId: sandbox.sandboxId })).length > 0
      if (moment === 'memory is being read') await comesTo(hasProcess, ordered)
      else await delay(moment === undefined ? random.between(10, 500) : 20)
      await host.kill('SIGKILL')
      const became = await settle(sandbox)
      if (became === 'stopped') {
        expect((await stateOf(sandbox)).lastBootEnd).toMatchObject({
          bootId: sandbox.bootId,
          detail: expect.stringContaining('is lost'),
        })
        const again = { bootId: host.newBootId(), hostname: 'box' }
        expect(await host.request('POST', hostPaths.start(sandbox.sandboxId), again)).toMatchObject({ status: 200 })
        expect((await host.run(sandbox.sandboxId, 'ls')).output).toContain('counter.py')
      } else expect(await lookAt(sandbox)).toMatchObject({ pid: before.pid, kept: 'still here' })
      await host.request('DELETE', hostPaths.get(sandbox.sandboxId))
      expect(await host.leftovers()).toEqual([])
    }
  })
})

async function memoryLeft(): Promise<string[]> {
  return (await host.leftovers()).filter((line) => line.startsWith('memory'))
}

async function namespaceOf(): Promise<string> {
  const [line = ''] = (await host.leftovers()).filter((each) => each.startsWith('namespace '))
  return line.split(' ')[1] ?? ''
}
