import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { listSwaps } from './swaps.ts'
import { makeZramDevice } from './zram-device.ts'

const GiB = 2 ** 30
const heading = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n'

/** Directories stand for the kernel’s: they show what is written to which file. The programs change them as the real ones do. */
let root: string
let ran: string[]
let failing: string | undefined
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'zram-'))
  ran = []
  failing = undefined
  for (const folder of ['sys/block', 'sys/class/zram-control', 'proc', 'dev', 'run'])
    await mkdir(at(folder), { recursive: true })
  await write('sys/class/zram-control/hot_add', '4\n')
  await write('sys/class/zram-control/hot_remove', '')
  await write('proc/meminfo', 'MemTotal:       8388608 kB\nMemAvailable:   4194304 kB\n')
  await setSwaps()
  await addDevice(4)
})
afterEach(() => rm(root, { recursive: true }))

const at = (name: string) => path.join(root, name)
const write = (name: string, content: string | Buffer) => writeFile(at(name), content)
const read = (name: string) => readFile(at(name), 'utf8')
const removed = async () => (await read('sys/class/zram-control/hot_remove')) || undefined
const recordFile = 'run/threadbox-swap-unit00'
const begun = (record: unknown) => write(recordFile, JSON.stringify(record))
const hasRecord = () =>
  read(recordFile).then(
    () => true,
    () => false,
  )

async function addDevice(device: number, { size = '0', label }: { size?: string; label?: string } = {}): Promise<void> {
  await mkdir(at(`sys/block/zram${device}`))
  await write(`sys/block/zram${device}/disksize`, `${size}\n`)
  await write(`sys/block/zram${device}/mm_stat`, `8192 1024 ${GiB} ${4 * GiB} 0 0 0 0 0\n`)
  await write(`dev/zram${device}`, label === undefined ? Buffer.alloc(4096) : swapPage(label))
}

function swapPage(label: string): Buffer {
  const page = Buffer.alloc(4096)
  page.write(label, 1052, 'latin1')
  page.write('SWAPSPACE2', 4086, 'latin1')
  return page
}

async function setSwaps(...swaps: { device: number; usedKiB: number; directory?: string }[]): Promise<void> {
  const lines = swaps.map(
    ({ device, usedKiB, directory = '/dev/' }) =>
      `${directory}zram${device}  partition\t8388604\t\t${usedKiB}\t\t32767\n`,
  )
  await write('proc/swaps', heading + lines.join(''))
}

const places = () => ({ sys: at('sys'), proc: at('proc'), dev: at('dev'), run: at('run') })
const device = (installation = 'unit00') =>
  makeZramDevice({
    installation,
    places: places(),
    run: async (program, flags) => {
      if (program === failing) throw new Error(`${program} failed`)
      ran.push([program, ...flags].join(' ').replaceAll(root, ''))
      const number = Number(/\d+$/.exec(flags.at(-1) ?? '')?.[0])
      if (program === 'mkswap') await write(`dev/zram${number}`, swapPage(flags[1] ?? ''))
      if (program === 'swapon') await setSwaps({ device: number, usedKiB: 0 })
      if (program === 'swapoff') await setSwaps()
    },
  })

test('the swap is as large as the memory of the machine, can take half of it, and comes before any other', async () => {
  await device().ensure()
  expect(ran).toEqual(['mkswap --label tb-unit00 /dev/zram4', 'swapon --priority 32767 /dev/zram4'])
  expect(await read('sys/block/zram4/disksize')).toBe(String(8 * GiB))
  expect(await read('sys/block/zram4/mem_limit')).toBe(String(4 * GiB))
})

test('a swap that is in use is used again, by the next daemon too', async () => {
  await device().ensure()
  await device().ensure()
  expect(ran).toHaveLength(2)
  expect(await device().find()).toEqual({ usedBytes: 0, storedBytes: GiB, freeBytes: 8 * GiB - 4096 })
  await device().remove()
  expect(ran.slice(2)).toEqual(['swapoff /dev/zram4'])
  expect([await removed(), await hasRecord(), await device().find()]).toEqual(['4', false, undefined])
})

test('a swap is used again by a daemon whose mount namespace is another one than that in which it was put to use', async () => {
  await device().ensure()
  await setSwaps({ device: 4, usedKiB: 0, directory: '/' })
  await device().ensure()
  expect(ran).toHaveLength(2)
  expect(await device().find()).toMatchObject({ freeBytes: 8 * GiB - 4096 })
  expect(await listSwaps(places())).toMatchObject([{ file: '/zram4', isInRam: true }])
  await device().remove()
  expect([ran.at(-1), await removed()]).toEqual(['swapoff /dev/zram4', '4'])
})

test('a swap that has reached its limit of memory has no space', async () => {
  await device().ensure()
  await write('sys/block/zram4/mm_stat', `8192 1024 ${4 * GiB - 4096} ${4 * GiB} 0 0 0 0 0\n`)
  expect(await device().find()).toMatchObject({ freeBytes: 0 })
})

test('the module is loaded where zram is one', async () => {
  await rm(at('sys/class/zram-control'), { recursive: true })
  await expect(device().ensure()).rejects.toThrow('zram-control')
  expect(ran[0]).toBe('modprobe zram')
})

test('where no device could be removed, none is made', async () => {
  await rm(at('sys/class/zram-control/hot_remove'))
  await expect(device().ensure()).rejects.toThrow('hot_remove')
  expect([ran, await hasRecord()]).toEqual([[], false])
})

test.each(['mkswap', 'swapon'])('a machine whose %s fails is left as it was', async (program) => {
  failing = program
  await expect(device().ensure()).rejects.toThrow(`${program} failed`)
  expect([await removed(), await hasRecord()]).toEqual(['4', false])
})

test('a machine that makes no files for devices is left as it was', async () => {
  await rm(at('dev/zram4'))
  failing = 'mkswap'
  await write('sys/block/zram4/disksize', '8192')
  await expect(device().ensure()).rejects.toThrow('mkswap failed')
  expect([await removed(), await hasRecord()]).toEqual(['4', false])
})

test.each([
  ['before the kernel named the device', { before: [0, 5], device: null }, {}],
  ['before the device had a size', { before: [0, 5], device: 4 }, {}],
  ['before the device had a label', { before: [0, 5], device: 4 }, { size: '8192' }],
  ['before the swap was in use', { before: [0, 5], device: 4 }, { size: '8192', label: 'tb-unit00' }],
])('a daemon that was killed %s leaves no device', async (_, record, state) => {
  await rm(at('sys/block/zram4'), { recursive: true })
  await addDevice(0)
  await addDevice(4, state)
  await addDevice(5)
  await addDevice(6, { size: '8192', label: 'tb-other0' })
  await begun(record)
  await device().remove()
  expect([await removed(), await hasRecord(), ran]).toEqual(['4', false, []])
})

test.each([
  ['of another installation', 'tb-other0'],
  ['of the machine’s owner', 'swap'],
])('a device %s that has the recorded number now is left alone', async (_, label) => {
  await addDevice(9, { size: '8192', label })
  await setSwaps({ device: 9, usedKiB: 4 })
  await begun({ before: [], device: 9 })
  expect(await device().find()).toBeUndefined()
  await device().remove()
  expect([await removed(), ran]).toEqual([undefined, []])
  await begun({ before: [], device: 9 })
  await device().ensure()
  expect(ran).toEqual(['mkswap --label tb-unit00 /dev/zram4', 'swapon --priority 32767 /dev/zram4'])
})

test('an installation that has no swap removes none', async () => {
  await device('other0').ensure()
  await device('unit00').remove()
  expect([await removed(), ran.filter((command) => command.startsWith('swapoff'))]).toEqual([undefined, []])
  expect(await device('other0').find()).toBeDefined()
})

test('a record that is no longer true, after a restart of the machine, is forgotten', async () => {
  await begun({ before: [], device: 12 })
  await device().remove()
  expect([await removed(), await hasRecord()]).toEqual([undefined, false])
})

test('a swap whose content doesn’t fit in memory stays', async () => {
  await device().ensure()
  await setSwaps({ device: 4, usedKiB: 5_000_000 })
  await expect(device().remove()).rejects.toThrow('don’t fit')
  expect(ran).not.toContain('swapoff /dev/zram4')
  expect(await hasRecord()).toBe(true)
})

test('swap on a disk, in a file, or in compressed memory that is written to a disk is not in memory', async () => {
  for (const number of [0, 1, 7]) await addDevice(number, { size: String(1024 * 1024) })
  await write('sys/block/zram4/disksize', String(1024 * 1024))
  await write('sys/block/zram0/backing_dev', 'none\n')
  await write('sys/block/zram1/backing_dev', '/dev/vdb\n')
  const swaps: [file: string, isInRam: boolean, type?: string, sizeKiB?: number][] = [
    ['/dev/zram0', true],
    ['/dev/zram1', false],
    ['/dev/zram4', true],
    ['/zram4', true],
    ['/dev/vda2', false],
    ['/swap\\040file', false, 'file'],
    ['/home/zram4', false, 'file'],
    ['/dev/zram7', false, 'partition', 8],
    ['/dev/zram9', false],
  ]
  const lines = swaps.map(([file, , type = 'partition', sizeKiB = 1020]) => `${file}  ${type}\t${sizeKiB}\t\t4\t\t-2\n`)
  await write('proc/swaps', heading + lines.join(''))
  const found = await listSwaps(places())
  expect(found.map(({ file, isInRam }) => [file, isInRam])).toEqual(swaps.map(([file, isInRam]) => [file, isInRam]))
  expect(found[4]).toEqual({ file: '/dev/vda2', sizeBytes: 1020 * 1024, usedBytes: 4096, isInRam: false })
})
