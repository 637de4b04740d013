import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, statfs } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { makeId } from '@threadbox/domain'
import { type HostSandbox, hostPaths, hostSandboxSchema } from '@threadbox/protocol/host'
import { makeOwnedDirectory, sandboxPids } from '@threadbox/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeOwnMachine, type OwnMachine, type SmallHost, startSmallHost } from './small-host/small-host.ts'
import { makeSmallImage } from './small-host/small-image.ts'

/**
 * Space in the pool, on the disk below it and in memory: a sandbox without it gets an error, and no other sandbox is
 * affected.
 */
const run = promisify(execFile)
const MiB = 1024 * 1024
const limits = { memoryBytes: 512 * MiB, cpus: 1, processes: 128, diskBytes: 128 * MiB }
const plenty = 4 * 1024 * MiB

let directory: string
/** The directory’s name, so that the next run also finds the network of a killed one. */
let installation: string
let data: string
/** Path of the data directory outside of its mount namespace. */
let seen: string
let machine: OwnMachine
let host: SmallHost | undefined

beforeAll(async () => {
  directory = await makeOwnedDirectory()
  installation = path.basename(directory)
  data = path.join(directory, 'data')
  await mkdir(data)
  machine = await makeOwnMachine(directory)
  seen = path.join(machine.root, data)
  const file = path.join(directory, 'disk')
  await run('truncate', ['--size', String(1536 * MiB), file])
  await run('mkfs.ext4', ['-q', file])
  await machine.mount(['-o', 'loop', file, data])
  host = await startSmallHost({
    installation,
    dataDirectory: data,
    logFile: path.join(directory, 'host.log'),
    machine,
    imageArchive: await makeSmallImage(directory),
    environment: {
      THREADBOX_POOL_SIZE: String(1024 * MiB),
      THREADBOX_MEMORY_IMAGE_RESERVE_BYTES: String(256 * MiB),
      THREADBOX_MEMORY_RESERVE: String(512 * MiB),
    },
  })
})
afterEach(async () => {
  for (const name of ['filler', 'disks/pool/filler']) await empty(path.join(seen, name))
  await machine.setAvailableMemory(plenty)
  for (const { sandboxId } of await all()) await request('DELETE', hostPaths.get(sandboxId))
})
afterAll(async () => {
  await host?.cutPower()
  await machine.unmount(data)
  await machine[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

test('G7: a pool that fills up during a pause stops that pause and nothing else; sandboxes can be deleted', async () => {
  const [sandbox, neighbor, deleted] = [await start(), await start(), await start()]
  const filler = path.join(seen, 'disks/pool/filler')
  const pids = await sandboxPids({ dataDirectory: seen, sandboxId: sandbox.sandboxId })
  const filled = whileSaving(sandbox, pids, () => fill(filler))
  const failed = await request('POST', hostPaths.pause(sandbox.sandboxId), sandbox)
  await filled
  for (const one of [sandbox, neighbor]) await expectSameBoot(one)
  expect(await request('DELETE', hostPaths.get(deleted.sandboxId))).toMatchObject({ status: 204 })
  await empty(filler)
  await untilAvailable(path.dirname(filler), 256 * MiB)
  expect(failed).toMatchObject({
    status: 503,
    body: { error: { code: 'sandbox.pause-failed', details: { isRunning: true } } },
  })
  expect(await readdir(path.join(seen, 'disks/pool/memory')).catch(() => [])).toEqual([])
  for (const one of [sandbox, neighbor]) await pauseAndWake(one)
})

test('G7: with a full disk below the pool, sandboxes work, and a pause that fails because of it changes nothing', async () => {
  const sandbox = await start()
  const filler = path.join(seen, 'filler')
  await fill(filler)
  const paused = await request('POST', hostPaths.pause(sandbox.sandboxId), sandbox)
  if (paused.status === 200) {
    expect(await request('POST', hostPaths.wake(sandbox.sandboxId), sandbox)).toMatchObject({ status: 200 })
  } else {
    const { error } = paused.body as { error: { code: string } }
    expect(error.code, JSON.stringify(error)).toMatch(/^(machine.disk-full|sandbox.pause-failed)$/)
  }
  await expectSameBoot(sandbox)
  expect((await run1(sandbox, 'echo written > file && sync file && cat file')).output).toBe('written\n')
  await empty(filler)
  await pauseAndWake(sandbox)
})

test('G7: a wake without enough memory discards frozen copies, then says what it needs; awake sandboxes stay awake', async () => {
  const [saved, frozen, awake] = [await start(), await start(), await start()]
  for (const one of [saved, frozen]) await pause(one)
  await endFrozenCopy(saved)
  await machine.setAvailableMemory(530 * MiB)
  const refused = await request('POST', hostPaths.wake(saved.sandboxId), saved)
  expect(refused.body).toMatchObject({ error: { code: 'host.no-memory', details: { awakeSandboxes: 1 } } })
  const { details } = (refused.body as { error: { details: Record<string, number> } }).error
  expect(details.availableBytes).toBe(18 * MiB)
  expect(details.neededBytes).toBeGreaterThan(64 * MiB)
  expect(await stateOf(frozen)).toMatchObject({ actual: 'paused', paused: { isFrozen: false } })
  expect(await stateOf(saved)).toMatchObject({ actual: 'paused' })
  await expectSameBoot(awake)
  await machine.setAvailableMemory(plenty)
  for (const one of [saved, frozen]) {
    expect(await request('POST', hostPaths.wake(one.sandboxId), one)).toMatchObject({ body: { from: 'memory' } })
    await expectSameBoot(one)
  }
})

test('G7: a wake discards only as many frozen copies as it needs, the oldest first', async () => {
  const [saved, oldest, newest] = [await start(), await start(), await start()]
  for (const one of [saved, oldest, newest]) await pause(one)
  await endFrozenCopy(saved)
  const [pid] = await pidsOf(oldest)
  await machine.setAvailableMemory(600 * MiB)
  const freed = untilGone(pid ?? 0).then(() => machine.setAvailableMemory(plenty))
  const woken = await request('POST', hostPaths.wake(saved.sandboxId), saved)
  await freed
  expect(woken).toMatchObject({ status: 200, body: { from: 'memory' } })
  expect(await stateOf(oldest)).toMatchObject({ actual: 'paused', paused: { isFrozen: false } })
  expect(await stateOf(newest)).toMatchObject({ actual: 'paused', paused: { isFrozen: true } })
  await expectSameBoot(saved)
})

type Sandbox = { sandboxId: string; bootId: string }

function running(): SmallHost {
  if (host === undefined) throw new Error('there is no host daemon')
  return host
}

const request: SmallHost['request'] = (method, where, body) => {
  const order = body === undefined || method === 'PUT' ? body : { ...(body as object), sandboxId: undefined }
  return running().request(method, where, order)
}

const run1 = ({ sandboxId }: Sandbox, command: string) => running().run(sandboxId, command)

async function start(): Promise<Sandbox> {
  const sandbox = { sandboxId: makeId('sandbox', randomBytes), bootId: makeId('boot', randomBytes) }
  const created = await request('PUT', hostPaths.get(sandbox.sandboxId), { limits, egress: { kind: 'none' } })
  expect(created).toMatchObject({ status: 200 })
  const order = { bootId: sandbox.bootId, hostname: 'box' }
  expect(await request('POST', hostPaths.start(sandbox.sandboxId), order)).toMatchObject({ status: 200 })
  await run1(sandbox, `mark=${sandbox.bootId}`)
  return sandbox
}

/** The shell still has the variable that was set at the start. */
async function expectSameBoot(sandbox: Sandbox): Promise<void> {
  expect(await stateOf(sandbox)).toMatchObject({ actual: 'ready', bootId: sandbox.bootId })
  expect((await run1(sandbox, 'echo $mark')).output).toBe(`${sandbox.bootId}\n`)
}

async function pause(sandbox: Sandbox): Promise<void> {
  expect(await request('POST', hostPaths.pause(sandbox.sandboxId), sandbox)).toMatchObject({ status: 200 })
}

async function pauseAndWake(sandbox: Sandbox): Promise<void> {
  await pause(sandbox)
  expect(await request('POST', hostPaths.wake(sandbox.sandboxId), sandbox)).toMatchObject({ status: 200 })
  await expectSameBoot(sandbox)
}

async function stateOf({ sandboxId }: Sandbox): Promise<HostSandbox> {
  return hostSandboxSchema.parse((await request('GET', hostPaths.get(sandboxId))).body)
}

async function all(): Promise<{ sandboxId: string }[]> {
  return ((await request('GET', hostPaths.list())).body as { sandboxes: { sandboxId: string }[] }).sandboxes
}

async function pidsOf({ sandboxId }: Pick<Sandbox, 'sandboxId'>): Promise<number[]> {
  const pids = await sandboxPids({ dataDirectory: seen, sandboxId })
  if (pids.length === 0) throw new Error(`${sandboxId} has no process`)
  return pids
}

async function endFrozenCopy({ sandboxId }: Sandbox): Promise<void> {
  using events = await running().events()
  for (const pid of await pidsOf({ sandboxId })) process.kill(pid, 'SIGKILL')
  await events.next((event) => event.type === 'frozen-dropped' && event.sandboxId === sandboxId)
}

/**
 * Waits until the directory for the memory exists (its space has been checked, and it is still empty), and holds the
 * sandbox’s processes, which write the memory, until `task` has ended.
 */
async function whileSaving({ sandboxId }: Sandbox, pids: number[], task: () => Promise<void>): Promise<void> {
  const place = path.join(seen, 'disks/pool/memory', sandboxId)
  while ((await readdir(place).catch(() => [])).length === 0) await delay(1)
  for (const pid of pids) process.kill(pid, 'SIGSTOP')
  try {
    await task()
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT')
  }
}

/** btrfs gives the space of deleted files back up to half a minute later, with this option within a second. */
async function untilAvailable(directory: string, bytes: number): Promise<void> {
  await machine.mount(['-o', 'remount,commit=1', path.join(data, 'disks/pool')])
  const availableBytes = () => statfs(directory).then(({ bavail, bsize }) => bavail * bsize)
  await expect.poll(availableBytes, { timeout: 60_000 }).toBeGreaterThan(bytes)
}

async function untilGone(pid: number): Promise<void> {
  const hasDescriptors = () =>
    readdir(`/proc/${pid}/fd`).then(
      (names) => names.length > 0,
      () => false,
    )
  while (await hasDescriptors()) await delay(1)
}

/** Takes all the available space: in one piece as far as possible, because the caller holds a sandbox for it. */
async function fill(file: string): Promise<void> {
  const availableBytes = () => statfs(path.dirname(file)).then(({ bavail, bsize }) => bavail * bsize)
  // btrfs can refuse a piece of the right size while it undoes an earlier one.
  for (let passes = 0; passes < 20 && (await availableBytes()) > 4 * MiB; passes += 1) {
    for (let bytes = await availableBytes(); bytes >= MiB; bytes = Math.floor(bytes / 2)) {
      await run('sh', [
        '-c',
        'exec fallocate --offset "$(stat --format=%s "$1" || echo 0)" --length "$2" "$1"',
        'sh',
        file,
        String(bytes),
      ]).catch(() => undefined)
    }
  }
}

async function empty(file: string): Promise<void> {
  await rm(file, { force: true })
  await run('sync', ['--file-system', path.dirname(file)])
}
