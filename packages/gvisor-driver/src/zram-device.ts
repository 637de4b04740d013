import { execFile } from 'node:child_process'
import { access, constants, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { parseJson } from './parse-json.ts'
import { type KernelPlaces, kernelPlaces, listSwaps, type Swap } from './swaps.ts'

/**
 * The installation’s swap in compressed RAM: one device, made when the first memory is to be compressed, and used by this
 * installation only, as far as the kernel lets one choose. It outlives the daemon, because memory of boots is in it.
 *
 * Numbers of devices are used again. So the device is recognized by the label of the swap in it. The record in `/run`, which ends
 * with the machine as devices do, says where to look, and what a daemon began that was killed before it set the label.
 */
export type ZramDevice = {
  /** Makes the device unless it is in use. One call at a time. Throws if the machine can’t. */
  ensure(): Promise<void>
  /** The installation’s swap, if it is in use. */
  find(): Promise<ZramUse | undefined>
  /**
   * Takes it out of use and removes it, also what was half made. What is in it returns to RAM first: throws if that has no space.
   * Does nothing if there is none.
   */
  remove(): Promise<void>
}

/** `storedBytes`: the RAM that it takes. `freeBytes`: how much memory it can still take. */
export type ZramUse = { usedBytes: number; storedBytes: number; freeBytes: number }

type ZramOptions = {
  installation: string
  places?: KernelPlaces
  /** Runs a program of the machine. Only tests set another. */
  run?: (program: string, flags: string[]) => Promise<unknown>
}
type Ports = Required<ZramOptions>

const recordSchema = z.object({
  /** The devices that existed before. */
  before: z.array(z.number()),
  /** Null until the kernel has named it. */
  device: z.number().nullable(),
})
type DeviceRecord = z.infer<typeof recordSchema>

const execute = promisify(execFile)
/** Taking a swap out of use copies all that is in it. */
const commandTimeoutMs = 60_000
/** Before all others, so that none of them gets the memory of a sandbox while this one has space. */
const priority = 32_767
/** What it can take of the machine’s RAM, compressed. */
const storedShare = 0.5
const limitMarginBytes = 64 * 2 ** 20
/** After a change, other programs of the machine inspect a device for a moment. */
const removalAttempts = 40
const removalPauseMs = 50

const pageBytes = 4096
const labelOffset = 1052
const labelBytes = 16
const signature = 'SWAPSPACE2'

export function makeZramDevice(options: ZramOptions): ZramDevice {
  const { places = kernelPlaces } = options
  const ports: Ports = {
    ...options,
    places,
    run: options.run ?? ((program, flags) => execute(program, flags, { timeout: commandTimeoutMs })),
  }
  const swapOf = async (device: number) => {
    const swaps = await listSwaps(places)
    return swaps.find(({ zram }) => zram === device)
  }
  const remove = async () => {
    for (const device of await ownDevices(ports)) {
      const swap = await swapOf(device)
      if (swap !== undefined) {
        await refuseWithoutMemory(ports, swap)
        await ports.run('swapoff', [fileOf(ports, device)])
      }
      await removeDevice(ports, device)
    }
    await rm(recordOf(ports), { force: true })
  }
  return {
    ensure: async () => {
      const [device] = await ownDevices(ports)
      if (device !== undefined && (await swapOf(device)) !== undefined) return
      await remove()
      await make(ports).catch(async (error: unknown) => {
        await remove()
        throw error
      })
    },
    find: async () => {
      const record = await readRecord(ports)
      if (record?.device == null || !(await isOwn(ports, record.device))) return undefined
      const swap = await swapOf(record.device)
      if (swap === undefined) return undefined
      const stat = await readFile(sysFile(ports, record.device, 'mm_stat'), 'utf8')
      return readStat(swap, stat)
    },
    remove,
  }
}

/** The third and fourth figure of `mm_stat` are what it stores and its limit. */
function readStat({ sizeBytes, usedBytes }: Swap, stat: string): ZramUse {
  const [, , storedBytes = 0, limitBytes = 0] = stat.trim().split(/\s+/).map(Number)
  const isAtLimit = storedBytes > limitBytes - limitMarginBytes
  return { usedBytes, storedBytes, freeBytes: isAtLimit ? 0 : sizeBytes - usedBytes }
}

const recordOf = ({ places, installation }: Ports) => path.join(places.run, `threadbox-swap-${installation}`)
const labelOf = ({ installation }: Ports) => `tb-${installation}`
const fileOf = ({ places }: Ports, device: number) => path.join(places.dev, `zram${device}`)
const sysFile = ({ places }: Ports, device: number, name: string) =>
  path.join(places.sys, 'block', `zram${device}`, name)
const controlFile = ({ places }: Ports, name: string) => path.join(places.sys, 'class/zram-control', name)

/** Each step is recorded before the next, or can be seen at the device. */
async function make(ports: Ports): Promise<void> {
  const addFile = controlFile(ports, 'hot_add')
  const totalBytes = await memoryBytes(ports, 'MemTotal')
  await loadModule(ports)
  // Reading `hot_add` makes a device even where the kernel’s files are read-only, as in a container, and nothing could remove it.
  await access(controlFile(ports, 'hot_remove'), constants.W_OK)
  const before = await listDevices(ports)
  await writeRecord(ports, { before, device: null })
  const device = Number((await readFile(addFile, 'utf8')).trim())
  await writeRecord(ports, { before, device })
  await writeFile(sysFile(ports, device, 'disksize'), String(totalBytes))
  await writeFile(sysFile(ports, device, 'mem_limit'), String(Math.floor(totalBytes * storedShare)))
  const file = fileOf(ports, device)
  await ports.run('mkswap', ['--label', labelOf(ports), file])
  await ports.run('swapon', ['--priority', String(priority), file])
}

/** In the kernel, or as a module of it. */
async function loadModule(ports: Ports): Promise<void> {
  const isMissing = await access(controlFile(ports, 'hot_add')).then(
    () => false,
    () => true,
  )
  if (isMissing) await ports.run('modprobe', ['zram'])
}

/** The installation’s devices: the one that it uses, or what a daemon left that was killed while it made one. */
async function ownDevices(ports: Ports): Promise<number[]> {
  const record = await readRecord(ports)
  if (record === undefined) return []
  const present = await listDevices(ports)
  if (record.device !== null) {
    return present.includes(record.device) && (await isOwn(ports, record.device)) ? [record.device] : []
  }
  const added = present.filter((device) => !record.before.includes(device))
  const blank = await Promise.all(added.map((device) => isBlank(ports, device)))
  return added.filter((_, index) => blank[index])
}

/** Tells whether a recorded device is still that: labeled, or without any content, as it was before it got its label. */
async function isOwn(ports: Ports, device: number): Promise<boolean> {
  if (await isBlank(ports, device)) return true
  const page = await readFirstPage(fileOf(ports, device))
  if (page.every((byte) => byte === 0)) return true
  const label = page
    .subarray(labelOffset, labelOffset + labelBytes)
    .toString('latin1')
    .replace(/\0.*$/s, '')
  return page.subarray(-signature.length).toString('latin1') === signature && label === labelOf(ports)
}

/** A device without a size holds nothing, and nothing uses it. */
async function isBlank(ports: Ports, device: number): Promise<boolean> {
  return (await readFile(sysFile(ports, device, 'disksize'), 'utf8')).trim() === '0'
}

/** Empty where the machine makes no file for a device: then nothing has written to it. */
async function readFirstPage(file: string): Promise<Buffer> {
  const page = Buffer.alloc(pageBytes)
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return page
  try {
    await handle.read(page, 0, pageBytes, 0)
    return page
  } finally {
    await handle.close()
  }
}

async function listDevices({ places }: Ports): Promise<number[]> {
  const names = await readdir(path.join(places.sys, 'block'))
  return names.flatMap((name) => /^zram(\d+)$/.exec(name)?.[1] ?? []).map(Number)
}

/** The kernel refuses it while anything uses the device. */
async function removeDevice(ports: Ports, device: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await writeFile(controlFile(ports, 'hot_remove'), String(device))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === 'ENODEV') return
      if (code !== 'EBUSY' || attempt === removalAttempts) throw error
      await delay(removalPauseMs)
    }
  }
}

async function refuseWithoutMemory(ports: Ports, { file, usedBytes }: Swap): Promise<void> {
  const availableBytes = await memoryBytes(ports, 'MemAvailable')
  if (usedBytes < availableBytes) return
  throw new Error(`${usedBytes} bytes in ${file} don’t fit in ${availableBytes} bytes of free memory`)
}

async function memoryBytes({ places }: Ports, name: string): Promise<number> {
  const text = await readFile(path.join(places.proc, 'meminfo'), 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024
}

async function readRecord(ports: Ports): Promise<DeviceRecord | undefined> {
  const text = await readFile(recordOf(ports), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : recordSchema.safeParse(parseJson(text)).data
}

async function writeRecord(ports: Ports, record: DeviceRecord): Promise<void> {
  const file = recordOf(ports)
  await writeFile(`${file}.new`, JSON.stringify(record), { mode: 0o600 })
  await rename(`${file}.new`, file)
}
