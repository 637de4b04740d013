import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { defaultSandboxLimits } from '@threadbox/domain'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CgroupTree, makeCgroupTree } from './cgroup-tree.ts'

/** A directory stands for the mounted hierarchy: it shows what is written to which file, and when. */
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'cgroup-swap-'))
})
afterEach(() => rm(directory, { recursive: true }))

const versions = [
  { version: 'v2', isUnified: true, file: 'memory.swap.max', allowed: 'max', forbidden: '0' },
  { version: 'v1', isUnified: false, file: 'memory.swappiness', allowed: '100', forbidden: '0' },
] as const
type Version = (typeof versions)[number]

async function treeOf({ isUnified }: Pick<Version, 'isUnified'>): Promise<CgroupTree> {
  const tree = await makeCgroupTree({
    installation: 'unit00',
    diskRate: { bytesPerSecond: 0, devices: async () => [] },
    logger: makeLogger({ process: 'test', level: 'silent' }),
    mount: { directory, isUnified },
  })
  for (const bootId of ['b1', 'b2']) await tree.create({ bootId, limits: defaultSandboxLimits })
  return tree
}

const fileOf = ({ isUnified }: Pick<Version, 'isUnified'>, name: string, bootId = 'b1') =>
  path.join(directory, isUnified ? '' : 'memory', 'threadbox-unit00', bootId, name)
const contentOf = (version: Version, name: string, bootId?: string) => readFile(fileOf(version, name, bootId), 'utf8')
const reclaimFileOf = ({ isUnified }: Version) => (isUnified ? 'memory.reclaim' : 'memory.force_empty')
const makePipe = (file: string) => promisify(execFile)('mkfifo', [file])
const never = new AbortController().signal

test.each(versions)(
  'on cgroup $version swap is forbidden to a boot, also after its limits changed',
  async (version) => {
    const tree = await treeOf(version)
    expect(await contentOf(version, version.file)).toBe(version.forbidden)
    await writeFile(fileOf(version, version.file), 'other')
    await tree.applyBackstop({ bootId: 'b1', limits: defaultSandboxLimits })
    expect(await contentOf(version, version.file)).toBe(version.forbidden)
  },
)

test.each(versions)(
  'on cgroup $version swap is allowed only to the boot whose memory moves, until it has',
  async (version) => {
    const tree = await treeOf(version)
    // A pipe: the write waits for its reader, as it does for the kernel.
    const pipe = fileOf(version, reclaimFileOf(version))
    await makePipe(pipe)
    const moved = tree.swapOut({ bootId: 'b1', signal: never })
    await expect.poll(() => contentOf(version, version.file)).toBe(version.allowed)
    expect(await contentOf(version, version.file, 'b2')).toBe(version.forbidden)
    expect(await readFile(pipe, 'utf8')).toMatch(version.isUnified ? /^\d+ swappiness=max$/ : /^0$/)
    await moved
    expect(await contentOf(version, version.file)).toBe(version.forbidden)
  },
)

test.each(versions)('on cgroup $version swap is forbidden again when moving is canceled', async (version) => {
  const tree = await treeOf(version)
  await makePipe(fileOf(version, reclaimFileOf(version)))
  const canceled = new AbortController()
  const moved = tree.swapOut({ bootId: 'b1', signal: canceled.signal })
  await expect.poll(() => contentOf(version, version.file)).toBe(version.allowed)
  canceled.abort()
  await moved
  expect(await contentOf(version, version.file)).toBe(version.forbidden)
})

test.each(versions)('on cgroup $version swap is forbidden again when the kernel refuses', async (version) => {
  const tree = await treeOf(version)
  await mkdir(fileOf(version, reclaimFileOf(version)))
  await expect(tree.swapOut({ bootId: 'b1', signal: never })).rejects.toThrow('directory')
  expect(await contentOf(version, version.file)).toBe(version.forbidden)
})

test.each(versions)(
  'on cgroup $version a driver that starts forbids what a killed one had allowed',
  async (version) => {
    const tree = await treeOf(version)
    await writeFile(fileOf(version, version.file), version.allowed)
    await tree.forbidSwap('b1')
    expect(await contentOf(version, version.file)).toBe(version.forbidden)
  },
)

test.each(versions)('on cgroup $version a boot that has ended cannot move its memory', async (version) => {
  const tree = await treeOf(version)
  await expect(tree.swapOut({ bootId: 'gone', signal: never })).rejects.toThrow('ENOENT')
})

test('memory in swap counts as held: a boot takes it when it continues', async () => {
  const [v2, v1] = versions
  const unified = await treeOf(v2)
  await writeFile(fileOf(v2, 'memory.current'), '5000')
  await writeFile(fileOf(v2, 'memory.stat'), 'anon 4000\nactive_file 300\ninactive_file 700\n')
  await writeFile(fileOf(v2, 'memory.swap.current'), '2000')
  expect(await unified.usage('b1')).toMatchObject({ memoryBytes: 6000, swappedBytes: 2000 })
  const split = await treeOf(v1)
  await writeFile(fileOf(v1, 'memory.usage_in_bytes'), '5000')
  const figures = 'swap 1\nactive_file 1\ntotal_swap 3000\ntotal_active_file 300\ntotal_inactive_file 700\n'
  await writeFile(fileOf(v1, 'memory.stat'), figures)
  expect(await split.usage('b1')).toMatchObject({ memoryBytes: 7000, swappedBytes: 3000 })
})
