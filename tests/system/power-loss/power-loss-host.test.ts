import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { hostPaths } from '@threadbox/protocol/host'
import { makeOwnedDirectory } from '@threadbox/testkit'
import { repeats } from '@threadbox/testkit/repeats'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { makeOwnMachine, type OwnMachine, type SmallHost, startSmallHost } from '../small-host/small-host.ts'
import { makeSmallImage } from '../small-host/small-image.ts'
import { type CrashDisk, makeCrashDisk, makeCrashImages, makeImageSpace, readPast } from './crash-disk.ts'
import { type CutFindings, expectAfterCut } from './host-after-cut.ts'
import { type Story, workOn } from './host-load.ts'

/**
 * A host daemon whose records, disks and saved memory are on a disk that forgets what was not flushed. Power is cut at
 * many points of its work; each time a new daemon, on a restarted machine, begins with what is left.
 */
const run = promisify(execFile)
const MiB = 1024 * 1024
const cuts = repeats({ what: 'power cuts under a host daemon at work', byDefault: 4, full: 50 })
const seed = 20_261_122

let directory: string
/** The directory's name, so that the next run also finds the network of a killed one. */
let installation: string
let data: string
let disk: CrashDisk | undefined
/** The disk’s recording, also after it is closed. */
let past: Pick<CrashDisk, 'logPath' | 'sizeBytes'>
let machine: OwnMachine
let imageArchive: string
let host: SmallHost | undefined
let stories: Story[]
let end: number

beforeAll(async () => {
  directory = await makeOwnedDirectory()
  installation = path.basename(directory)
  data = path.join(directory, 'data')
  await mkdir(data)
  machine = await makeOwnMachine(directory)
  imageArchive = await makeSmallImage(directory)
  disk = await makeCrashDisk({ directory, sizeBytes: 2048 * MiB })
  const { device, position } = disk
  past = disk
  await run('mkfs.ext4', ['-q', device])
  await machine.mount([device, data])
  host = await start()
  const seen = path.join(machine.root, data)
  const random = randomOf(seed)
  stories = await workOn({ host, dataDirectory: seen, position, random, randomBytes }, { workers: 3, rounds: 2 })
  end = await position()
  await switchOff()
  await closeDisk()
})

afterEach(switchOff)
afterAll(async () => {
  await switchOff()
  await closeDisk()
  await machine[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

test(`A1: after a power cut at any of ${cuts} points every acknowledged write exists, sleeping sandboxes are hot, the rest cold`, async () => {
  await using space = await makeImageSpace({ directory, sizeBytes: 16 * 1024 * MiB })
  const random = randomOf(seed)
  const images = makeCrashImages({ disk: past, past: await readPast(past), directory: space.directory, random })
  const sum: CutFindings & { lostWrites: number } = {
    hot: 0,
    cold: 0,
    deleted: 0,
    lostWakes: 0,
    files: 0,
    undecided: 0,
    unknownEnds: 0,
    lostWrites: 0,
  }
  for (const position of choosePositions(random)) {
    const image = path.join(space.directory, 'crash')
    const { lostWrites } = await images.at(position, image)
    await mountImage(image)
    await machine.restart()
    host = await start()
    const found = await expectAfterCut(
      { host, dataDirectory: path.join(machine.root, data), position, randomBytes },
      stories,
    )
    await expectNothingLeftAfterDeletion(host)
    await switchOff()
    sum.lostWrites += lostWrites
    for (const [name, count] of Object.entries(found)) sum[name as keyof CutFindings] += count
  }
  process.stdout.write(`${cuts} power cuts: ${JSON.stringify(sum)}\n`)
  // Otherwise the cuts would not have lost anything, or nothing that matters.
  expect(sum.lostWrites).toBeGreaterThan(0)
  for (const count of [sum.hot, sum.cold, sum.files]) expect(count).toBeGreaterThan(0)
}, 3_600_000)

/**
 * The first one immediately after a pause; half of the rest anywhere, half during a pause, a wake or a deletion;
 * rising.
 */
function choosePositions(random: () => number): number[] {
  const deeds = stories.flatMap((story) => story.deeds)
  const first = Math.min(...deeds.map((deed) => deed.answered))
  const orders = deeds.filter((deed) => deed.kind !== 'wrote' && deed.begun > first)
  const paused = deeds.find((deed) => deed.kind === 'paused')
  const chosen = Array.from({ length: cuts }, (_, index) => {
    if (index === 0 && paused !== undefined) return paused.answered
    const order = orders[Math.floor(random() * orders.length)]
    const [from, to] = index % 2 === 0 || order === undefined ? [first, end] : [order.begun, order.answered]
    return Math.floor(from + (to - from) * random())
  })
  return chosen.toSorted((left, right) => left - right)
}

async function expectNothingLeftAfterDeletion(of: SmallHost): Promise<void> {
  const { body } = await of.request('GET', hostPaths.list())
  const { sandboxes } = body as { sandboxes: { sandboxId: string }[] }
  const deleted = await Promise.all(sandboxes.map(({ sandboxId }) => of.request('DELETE', hostPaths.get(sandboxId))))
  expect(deleted).toMatchObject(sandboxes.map(() => ({ status: 204 })))
  await expect.poll(of.leftovers, { timeout: 10_000 }).toEqual([])
}

/** The loop device is removed with the mount. */
async function mountImage(image: string): Promise<void> {
  const { stdout } = await run('losetup', ['--find', '--show', image])
  await machine.mount([stdout.trim(), data])
  await run('losetup', ['--detach', stdout.trim()])
}

async function start(): Promise<SmallHost> {
  return await startSmallHost({
    installation,
    dataDirectory: data,
    logFile: path.join(directory, 'host.log'),
    machine,
    imageArchive,
    environment: {
      // A separate range: while the machine is off, another installation could take a chosen one.
      THREADBOX_NETWORK_POOL: '10.213.64.0/20',
      THREADBOX_POOL_SIZE: String(1536 * MiB),
      THREADBOX_MEMORY_IMAGE_RESERVE_BYTES: String(512 * MiB),
    },
  })
}

async function closeDisk(): Promise<void> {
  await disk?.close()
  disk = undefined
}

async function switchOff(): Promise<void> {
  await host?.cutPower()
  host = undefined
  await machine.unmount(data)
}

/** Numerical Recipes’ linear congruential generator: the same cuts lose the same writes in every run. */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    return state / 2 ** 32
  }
}
