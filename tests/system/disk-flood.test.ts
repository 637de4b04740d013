import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rm, statfs } from 'node:fs/promises'
import { constants } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeId } from '@threadbox/domain'
import { hostPaths } from '@threadbox/protocol/host'
import { makeOwnedDirectory } from '@threadbox/testkit'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeOwnMachine, type OwnMachine, type SmallHost, startSmallHost } from './small-host/small-host.ts'
import { makeSmallImage } from './small-host/small-image.ts'

/** One sandbox fills its disk with what takes space in the file system’s tables rather than as data. */
const run = promisify(execFile)
const MiB = 1024 * 1024
const poolMiB = repeats({
  what: 'MiB of a pool in which one sandbox writes small things',
  byDefault: 1536,
  full: 12288,
})
const diskMiB = repeats({ what: 'MiB of that sandbox’s disk', byDefault: 64, full: 2048 })
const reserveBytes = (poolMiB / 6) * MiB
const noSpace = new Set([constants.errno.EDQUOT, constants.errno.ENOSPC])
const limits = { memoryBytes: 512 * MiB, cpus: 1, processes: 128, diskBytes: 128 * MiB }
/** What the others wrote, and their saved memory. */
const othersMiB = 96
const floodLimits = { ...limits, diskBytes: diskMiB * MiB }
const kinds = ['empty files', 'hard links', 'extended attributes', 'directories', 'appends of 1 byte']

let directory: string
let data: string
let pool: string
let machine: OwnMachine
let host: SmallHost
let closing: AsyncDisposableStack

beforeAll(async () => {
  await using cleanup = new AsyncDisposableStack()
  directory = await makeOwnedDirectory()
  cleanup.defer(() => rm(directory, { recursive: true, force: true }))
  data = path.join(directory, 'data')
  await mkdir(data)
  machine = cleanup.use(await makeOwnMachine(directory))
  pool = path.join(machine.root, data, 'disks/pool')
  // Allocated in the file system of this file, which itself has holes where nothing was written.
  const file = path.join(directory, 'disk')
  await run('truncate', ['--size', `${poolMiB + 1024}M`, file])
  await run('mkfs.ext4', ['-q', file])
  await machine.mount(['-o', 'loop', file, data])
  cleanup.defer(() => machine.unmount(data))
  host = await startSmallHost({
    installation: path.basename(directory),
    dataDirectory: data,
    logFile: path.join(directory, 'host.log'),
    machine,
    imageArchive: await makeSmallImage(directory, ['perl', 'uname']),
    environment: {
      THREADBOX_POOL_SIZE: String(poolMiB * MiB),
      THREADBOX_MEMORY_IMAGE_RESERVE_BYTES: String(reserveBytes),
      THREADBOX_MEMORY_RESERVE: String(512 * MiB),
    },
  })
  cleanup.defer(() => host.cutPower())
  closing = cleanup.move()
})
afterAll(() => closing?.[Symbol.asyncDispose]())

test('a sandbox that fills its disk with small things takes nothing that others need, and its deletion gives all of it back', async () => {
  const others = [await start(limits), await start(limits), await start(limits)]
  const usedBefore = await usedBytes()
  const flooder = await start(floodLimits)
  // gVisor has no reflinks. A program in its place would: they are made from outside, on the same disk.
  const [inside, outside] = await Promise.all([flood(flooder, kinds), floodFromOutside(flooder, ['reflinks'])])
  const found = new Map([...errorsIn(inside), ...errorsIn(outside)])
  console.log(inside, outside)
  expect([...found.keys()].sort()).toEqual([...kinds, 'reflinks'].sort())
  for (const [kind, error] of found) expect(noSpace, `${kind}: ${error}`).toContain(error)

  // As much saved memory as is promised, and files beside it.
  expect(await availableBytes()).toBeGreaterThan(reserveBytes)
  const place = path.join(pool, 'memory/of-the-test')
  await mkdir(place, { recursive: true })
  const written = `head -c ${reserveBytes} /dev/urandom > pages && for i in $(seq 2000); do : > $i; done && sync -f pages`
  await run('bash', ['-ec', written], { cwd: place })
  await rm(place, { recursive: true })

  for (const one of others) {
    expect((await host.run(one.sandboxId, 'head -c 4M /dev/urandom > file && sync file')).exitCode).toBe(0)
    for (const order of ['pause', 'wake'] as const) {
      expect(await request('POST', hostPaths[order](one.sandboxId), { bootId: one.bootId })).toMatchObject({
        status: 200,
      })
    }
    expect((await host.run(one.sandboxId, 'echo $mark; wc -c < file')).output).toBe(`${one.bootId}\n${4 * MiB}\n`)
  }

  expect(await request('DELETE', hostPaths.get(flooder.sandboxId))).toMatchObject({ status: 204 })
  // btrfs gives the space of deleted files back up to half a minute later, with this option within a second.
  await machine.mount(['-o', 'remount,commit=1', path.join(data, 'disks/pool')])
  await expect.poll(usedBytes, { timeout: 120_000 }).toBeLessThan(usedBefore + othersMiB * MiB)
  const next = await start(floodLimits)
  const fill = `head -c ${Math.floor(diskMiB * 0.9)}M /dev/urandom > file && sync file`
  expect(await host.run(next.sandboxId, fill, { timeoutMs: 600_000 })).toMatchObject({ exitCode: 0 })
})

type Sandbox = { sandboxId: string; bootId: string }

const request: SmallHost['request'] = (method, where, body) => host.request(method, where, body)

async function start(its: typeof limits): Promise<Sandbox> {
  const sandbox = { sandboxId: makeId('sandbox', randomBytes), bootId: makeId('boot', randomBytes) }
  const created = await request('PUT', hostPaths.get(sandbox.sandboxId), { limits: its, egress: { kind: 'none' } })
  expect(created).toMatchObject({ status: 200 })
  const order = { bootId: sandbox.bootId, hostname: 'box' }
  expect(await request('POST', hostPaths.start(sandbox.sandboxId), order)).toMatchObject({ status: 200 })
  await host.run(sandbox.sandboxId, `mark=${sandbox.bootId}`)
  return sandbox
}

const program = path.join(import.meta.dirname, 'disk-flood/flood.pl')

async function flood({ sandboxId }: Sandbox, of: readonly string[]): Promise<string> {
  const lines = await readFile(program, 'utf8')
  const prepared = await host.run(sandboxId, `mkdir ~/flood && cat > /tmp/flood.pl <<'END'\n${lines}END`)
  expect(prepared).toMatchObject({ exitCode: 0 })
  const named = of.map((kind) => `'${kind}'`).join(' ')
  return (await host.run(sandboxId, `LC_ALL=C perl /tmp/flood.pl ~/flood ${named}`, { timeoutMs: 1_000_000 })).output
}

async function floodFromOutside({ sandboxId }: Sandbox, of: readonly string[]): Promise<string> {
  const place = path.join(pool, 'disks', sandboxId, 'root/home/user/flood-from-outside')
  await mkdir(place)
  return (await run('perl', [program, place, ...of])).stdout
}

/** The number of the error that ended each kind. */
function errorsIn(output: string): Map<string, number> {
  return new Map([...output.matchAll(/^(.+): (\d+) after \d+$/gm)].map(([, kind = '', error]) => [kind, Number(error)]))
}

/** Data and tables, without what is only set aside for tables. */
async function usedBytes(): Promise<number> {
  const { blocks, bfree, bsize } = await statfs(pool)
  return (blocks - bfree) * bsize
}

async function availableBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(pool)
  return bavail * bsize
}
