import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultSandboxLimits } from '@threadbox/domain'
import { makeLogger } from '@threadbox/telemetry'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeCgroupTree } from './cgroup-tree.ts'

/** A directory stands for the mounted hierarchy: it shows what is written to which file. */
let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cgroup-'))
})
afterEach(() => rm(directory, { recursive: true }))

async function treeOf(options: { isUnified?: boolean; bytesPerSecond?: number; devices?: () => Promise<string[]> }) {
  const { isUnified = true, bytesPerSecond = 1024, devices = async () => ['7:3'] } = options
  const warnings: unknown[] = []
  const logger = { ...makeLogger({ process: 'test', level: 'silent' }), warn: (entry: unknown) => warnings.push(entry) }
  const tree = await makeCgroupTree({
    installation: 'unit00',
    diskRate: { bytesPerSecond, devices },
    logger,
    mount: { directory, isUnified },
  })
  await tree.create({ bootId: 'b1', limits: defaultSandboxLimits })
  return { tree, warnings }
}

const boot = () => join(directory, 'threadbox-unit00/b1')
const contentOf = (file: string) => readFile(join(boot(), file), 'utf8')
/** The files that the kernel adds to a cgroup with the `io` controller. */
async function addFiles(...names: string[]): Promise<void> {
  for (const name of names) await writeFile(join(boot(), name), '')
}

test('on cgroup v2 a boot gets the rate for reading and writing on the disk of the pool, and an equal weight', async () => {
  const { tree } = await treeOf({})
  await addFiles('io.max', 'io.weight')
  await tree.limitDisk('b1')
  expect(await contentOf('io.max')).toBe('7:3 rbps=1024 wbps=1024')
  expect(await contentOf('io.weight')).toBe('default 100')
  for (const parent of [directory, join(directory, 'threadbox-unit00')]) {
    expect(await readFile(join(parent, 'cgroup.subtree_control'), 'utf8')).toBe('+io')
  }
})

test('a rate of 0 removes an earlier limit', async () => {
  const { tree } = await treeOf({ bytesPerSecond: 0 })
  await addFiles('io.max')
  await tree.limitDisk('b1')
  expect(await contentOf('io.max')).toBe('7:3 rbps=max wbps=max')
})

test('what the host orders has no limit, and it is back afterwards, also after a failure', async () => {
  const { tree } = await treeOf({})
  await addFiles('io.max')
  const seen = await tree.withoutDiskLimit('b1', () => contentOf('io.max'))
  expect([seen, await contentOf('io.max')]).toEqual(['7:3 rbps=max wbps=max', '7:3 rbps=1024 wbps=1024'])
  const failed = tree.withoutDiskLimit('b1', async () => {
    throw new Error('no room')
  })
  await expect(failed).rejects.toThrow('no room')
  expect(await contentOf('io.max')).toBe('7:3 rbps=1024 wbps=1024')
})

test.each([
  { kernel: 'cgroup v2 without the io controller', isUnified: true },
  { kernel: 'cgroup v1', isUnified: false },
])('on $kernel nothing is written, and nothing fails', async ({ isUnified }) => {
  const { tree, warnings } = await treeOf({ isUnified })
  await tree.limitDisk('b1')
  expect(await tree.withoutDiskLimit('b1', async () => 'done')).toBe('done')
  await expect(contentOf('io.max')).rejects.toThrow('ENOENT')
  await expect(contentOf('io.weight')).rejects.toThrow('ENOENT')
  expect(warnings).toEqual([])
})

test('a rate that can’t be set fails no boot: it is logged while the boot exists', async () => {
  const { tree, warnings } = await treeOf({ devices: () => Promise.reject(new Error('no mounts')) })
  await addFiles('io.max')
  await tree.limitDisk('b1')
  expect(warnings).toMatchObject([{ bootId: 'b1', err: { message: 'no mounts' } }])
  await tree.limitDisk('gone')
  expect(warnings).toHaveLength(1)
})

test('the disk is found again for each boot, because a loop device can change', async () => {
  const devices = ['7:3', '7:5']
  const { tree } = await treeOf({ devices: async () => devices.splice(0, 1) })
  await addFiles('io.max')
  await tree.limitDisk('b1')
  await mkdir(join(directory, 'threadbox-unit00/b2'))
  await writeFile(join(directory, 'threadbox-unit00/b2/io.max'), '')
  await tree.limitDisk('b2')
  expect(await readFile(join(directory, 'threadbox-unit00/b2/io.max'), 'utf8')).toBe('7:5 rbps=1024 wbps=1024')
})
