import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { devicesBelow } from './devices-below.ts'

let sys: string
beforeEach(async () => {
  sys = await mkdtemp(join(tmpdir(), 'sys-'))
  for (const [name, number] of [
    ['virtual/block/loop3', '7:3'],
    ['pci0/block/sda', '8:0'],
    ['pci0/block/sdb', '8:16'],
  ]) {
    await write(`devices/${name}/dev`, `${number}\n`)
    await link(`class/block/${name?.split('/').at(-1)}`, `devices/${name}`)
  }
  await write('devices/pci0/block/sda/sda2/dev', '8:2\n')
  await write('devices/pci0/block/sda/sda2/partition', '2\n')
  await link('class/block/sda2', 'devices/pci0/block/sda/sda2')
})
afterEach(() => rm(sys, { recursive: true }))

async function write(path: string, content: string): Promise<void> {
  await mkdir(join(sys, dirname(path)), { recursive: true })
  await writeFile(join(sys, path), content)
}
async function link(path: string, target: string): Promise<void> {
  await mkdir(join(sys, dirname(path)), { recursive: true })
  await symlink(join(sys, target), join(sys, path))
}
const below = (sources: readonly string[]) => {
  const mounts = sources.map((source) => ({
    mountPoint: '/pool',
    fileSystem: 'btrfs',
    source,
    options: new Set<string>(),
  }))
  return devicesBelow('/pool', { sys, mounts: async () => mounts })
}

test('nothing mounted, or nothing on a block device, has no devices', async () => {
  expect(await below([])).toEqual([])
  expect(await below(['tmpfs'])).toEqual([])
  expect(await below(['/dev/gone'])).toEqual([])
})

test('a pool file has its loop device, and of two mounts on one point the visible one counts', async () => {
  expect(await below(['/dev/sdb', '/dev/loop3'])).toEqual(['7:3'])
})

test('a partition stands for its disk, and a btrfs on several devices has all of them, each once', async () => {
  expect(await below(['/dev/sda2'])).toEqual(['8:0'])
  for (const name of ['sda2', 'sda', 'sdb']) await write(`fs/btrfs/0a1b/devices/${name}`, '')
  expect((await below(['/dev/sdb'])).toSorted()).toEqual(['8:0', '8:16'])
})
