import { access, mkdir, readdir, readFile, rmdir, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { backstopLimits, type SandboxLimits } from '@threadbox/domain'
import type { Logger } from '@threadbox/telemetry'
import { cgroupsMissing } from './gvisor.errors.ts'
import { reclaimMemory } from './reclaim-memory.ts'

/**
 * The cgroups of one installation: `/threadbox-<installation>/<bootId>`, created before runsc starts, which uses them
 * unchanged. Works on cgroup v2 and on v1 (also "hybrid"), without systemd.
 *
 * Two steps, because runsc reads the limits once, at start, to set `/proc/meminfo` and the number of processors inside:
 * `create` sets the promised limits, `applyBackstop` then adds headroom.
 */
export type CgroupTree = {
  /** The absolute path of a boot’s cgroup in runsc’s notation. */
  pathOf(bootId: string): string
  create(options: { bootId: string; limits: SandboxLimits }): Promise<void>
  applyBackstop(options: { bootId: string; limits: SandboxLimits }): Promise<void>
  /** Sets the configured disk rate. Does nothing where the kernel doesn’t enforce one. */
  limitDisk(bootId: string): Promise<void>
  /** Does what the host orders from a boot, such as saving its memory, without the disk rate. */
  withoutDiskLimit<Result>(bootId: string, work: () => Promise<Result>): Promise<Result>
  /**
   * Moves memory of a boot to swap, which is forbidden to it at all other times. Ends early when aborted. The caller has made
   * sure that the machine’s swap is in RAM. Throws if the kernel refuses; it can also move nothing.
   */
  swapOut(options: { bootId: string; signal: AbortSignal }): Promise<void>
  /** Forbids swap to a boot, as `swapOut` does at its end. */
  forbidSwap(bootId: string): Promise<void>
  /** Kills every process in the cgroup; returns when none is left. */
  killAll(bootId: string): Promise<void>
  usage(bootId: string): Promise<CgroupUsage>
  /** Removes the cgroup, which must be empty. Does nothing if it does not exist. */
  remove(bootId: string): Promise<void>
  /** The IDs of boots that have a cgroup. */
  list(): Promise<string[]>
  /** False on v1: when memory is short, the kernel can swap what a running boot holds. */
  readonly canForbidSwap: boolean
}

/** How fast each boot can read from the disk, and write to it. */
export type DiskRate = {
  /** 0: no limit. */
  bytesPerSecond: number
  /** The disks to which it applies, as `major:minor`; read for each boot, because a loop device can change. */
  devices(): Promise<readonly string[]>
}

type CgroupTreeOptions = {
  installation: string
  diskRate: DiskRate
  logger: Pick<Logger, 'warn'>
  /** Where cgroups are mounted, and whether it is one hierarchy (v2). Only tests set it. */
  mount?: { directory: string; isUnified: boolean }
}

export type CgroupUsage = {
  /**
   * Without the page cache, which the kernel would release on demand and which saving memory fills. With what is in swap: the
   * boot takes that much when it continues.
   */
  memoryBytes: number | null
  /** That part of it. */
  swappedBytes: number
  memoryPeakBytes: number | null
  /** The number of processes that the kernel killed because the cgroup exceeded its memory limit. */
  memoryKills: number
  /** How often a process could not be created because the cgroup was at its limit. */
  processRefusals: number
}

type Layout = {
  /** The directories of a boot, one per hierarchy in which threadbox sets limits. */
  directory(controller: Controller, bootId: string): string
  /** The directory with the disk rate; undefined on v1, which doesn’t attribute writes that the kernel does later. */
  diskDirectory(bootId: string): string | undefined
  /** All hierarchies in which threadbox’s cgroups may exist: on v1, runsc creates more of them. */
  parents(): Promise<string[]>
  prepare(): Promise<void>
  memoryFiles(bytes: number): [string, string][]
  cpuFiles(cpus: number): [string, string][]
  readonly swap: SwapFiles
  readonly names: { memory: string; memoryPeak: string; memoryEvents: string }
}
type SwapFiles = {
  isStrict: boolean
  allow: [string, string][]
  forbid: [string, string][]
  /** Each makes the kernel reclaim all that it can. They are tried in turn: a kernel refuses what it doesn’t know. */
  reclaim(bytes: { held: number; total: number }): [string, string][]
}
type Controller = (typeof controllers)[number]
const controllers = ['memory', 'cpu', 'pids'] as const

const cpuPeriodUs = 100_000
const cgroup2Magic = 0x63677270

const mountPoint = '/sys/fs/cgroup'
const nameOf = (installation: string) => `threadbox-${installation}`

/**
 * Removes the installation’s own cgroup and those of boots whose daemon was killed, once no process is left in them.
 * Part of removing an installation.
 */
export async function removeCgroupTree(installation: string): Promise<void> {
  const layout = await findLayout(nameOf(installation))
  for (const parent of await layout.parents()) {
    const inside = await readdir(parent, { withFileTypes: true }).catch(() => [])
    for (const boot of inside) if (boot.isDirectory()) await removeCgroup(path.join(parent, boot.name))
    await removeCgroup(parent)
  }
}

export async function makeCgroupTree(options: CgroupTreeOptions): Promise<CgroupTree> {
  const name = nameOf(options.installation)
  const layout = await findLayout(name, options.mount)
  const setRate = makeSetRate(layout, options)

  const write = async (controller: Controller, bootId: string, files: [string, string][]) => {
    for (const [file, value] of files) await writeFile(path.join(layout.directory(controller, bootId), file), value)
  }
  return {
    pathOf: (bootId) => `/${name}/${bootId}`,
    create: async ({ bootId, limits }) => {
      await layout.prepare()
      for (const controller of controllers) await mkdir(layout.directory(controller, bootId), { recursive: true })
      const backstop = backstopLimits(limits)
      await write('memory', bootId, layout.memoryFiles(limits.memoryBytes))
      await write('cpu', bootId, layout.cpuFiles(backstop.cpus))
      await write('pids', bootId, [['pids.max', String(backstop.pids)]])
    },
    applyBackstop: async ({ bootId, limits }) => {
      const backstop = backstopLimits(limits)
      await write('memory', bootId, layout.memoryFiles(backstop.memoryBytes))
      await write('cpu', bootId, layout.cpuFiles(backstop.cpus))
      await write('pids', bootId, [['pids.max', String(backstop.pids)]])
    },
    limitDisk: (bootId) => setRate(bootId, options.diskRate.bytesPerSecond),
    withoutDiskLimit: async (bootId, work) => {
      await setRate(bootId, 0)
      try {
        return await work()
      } finally {
        await setRate(bootId, options.diskRate.bytesPerSecond)
      }
    },
    swapOut: async ({ bootId, signal }) => {
      const directory = layout.directory('memory', bootId)
      const total = (await readNumber(path.join(directory, layout.names.memory))) ?? 0
      const { bytes: held } = await heldBytes({ memory: directory, name: layout.names.memory })
      await write('memory', bootId, layout.swap.allow)
      try {
        await reclaimMemory({ directory, orders: layout.swap.reclaim({ held: held ?? total, total }), signal })
      } finally {
        // A boot that has ended in the meantime has no cgroup.
        if (await exists(directory)) await write('memory', bootId, layout.swap.forbid)
      }
    },
    forbidSwap: (bootId) => write('memory', bootId, layout.swap.forbid),
    killAll: (bootId) => killAll(layout.directory('pids', bootId)),
    usage: async (bootId) => {
      const memory = layout.directory('memory', bootId)
      const events = await readText(path.join(memory, layout.names.memoryEvents))
      const pidsEvents = await readText(path.join(layout.directory('pids', bootId), 'pids.events'))
      const held = await heldBytes({ memory, name: layout.names.memory })
      return {
        memoryBytes: held.bytes === null ? null : held.bytes + held.swappedBytes,
        swappedBytes: held.swappedBytes,
        memoryPeakBytes: await readNumber(path.join(memory, layout.names.memoryPeak)),
        memoryKills: Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0),
        processRefusals: Number(/^max (\d+)$/m.exec(pidsEvents)?.[1] ?? 0),
      }
    },
    remove: async (bootId) => {
      for (const parent of await layout.parents()) await removeCgroup(path.join(parent, bootId))
    },
    list: () => listBoots(layout),
    canForbidSwap: layout.swap.isStrict,
  }
}

/** The IDs of an installation’s boots that have a cgroup. */
export async function listCgroups(installation: string): Promise<string[]> {
  return await listBoots(await findLayout(nameOf(installation)))
}

async function listBoots(layout: Layout): Promise<string[]> {
  const found = new Set<string>()
  for (const parent of await layout.parents()) {
    for (const entry of await readdir(parent, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory()) found.add(entry.name)
    }
  }
  return [...found]
}

/**
 * Returns a function that sets a boot’s disk rate; 0: none. Equal weights share a disk whose scheduler or cost model
 * knows weights. A rate that can’t be set is logged: no sandbox fails for it.
 */
function makeSetRate(
  layout: Layout,
  { diskRate, logger }: Pick<CgroupTreeOptions, 'diskRate' | 'logger'>,
): (bootId: string, bytesPerSecond: number) => Promise<void> {
  return async (bootId, bytesPerSecond) => {
    const directory = layout.diskDirectory(bootId)
    if (directory === undefined || !(await exists(path.join(directory, 'io.max')))) return
    const rate = bytesPerSecond === 0 ? 'max' : String(bytesPerSecond)
    try {
      for (const device of await diskRate.devices()) {
        await writeFile(path.join(directory, 'io.max'), `${device} rbps=${rate} wbps=${rate}`)
      }
      const weight = path.join(directory, 'io.weight')
      if (await exists(weight)) await writeFile(weight, 'default 100')
    } catch (error) {
      // A boot that ended in the meantime has nothing to limit.
      if (await exists(directory)) logger.warn({ err: error, bootId }, 'the disk rate of a sandbox was not set')
    }
  }
}

/** What a cgroup holds in RAM, without page cache, and what it has in swap. */
async function heldBytes({
  memory,
  name,
}: {
  memory: string
  name: string
}): Promise<{ bytes: number | null; swappedBytes: number }> {
  const figures = await readText(path.join(memory, 'memory.stat'))
  // On v1 the plain names exclude cgroups below this one, and swap is among the figures.
  const prefix = figures.includes('total_inactive_file') ? 'total_' : ''
  const figureOf = (figure: string) => Number(new RegExp(`^${prefix}${figure} (\\d+)$`, 'm').exec(figures)?.[1] ?? 0)
  const swappedBytes = (await readNumber(path.join(memory, 'memory.swap.current'))) ?? figureOf('swap')
  const bytes = await readNumber(path.join(memory, name))
  if (bytes === null) return { bytes, swappedBytes }
  return { bytes: Math.max(0, bytes - figureOf('active_file') - figureOf('inactive_file')), swappedBytes }
}

async function findLayout(name: string, mount?: CgroupTreeOptions['mount']): Promise<Layout> {
  const { directory, isUnified } = mount ?? {
    directory: mountPoint,
    isUnified: (await statfs(mountPoint)).type === cgroup2Magic,
  }
  return isUnified ? unifiedLayout(path.join(directory, name)) : splitLayout(directory, name)
}

function unifiedLayout(parent: string): Layout {
  const root = path.dirname(parent)
  return {
    directory: (_controller, bootId) => path.join(parent, bootId),
    diskDirectory: (bootId) => path.join(parent, bootId),
    parents: async () => [parent],
    prepare: async () => {
      await mkdir(parent, { recursive: true })
      for (const directory of [root, parent]) {
        for (const controller of controllers) {
          await writeFile(path.join(directory, 'cgroup.subtree_control'), `+${controller}`).catch((cause: unknown) => {
            throw cgroupsMissing({ controller }, { cause })
          })
        }
        // Optional: without it, disk rates are not enforced, as the doctor says.
        await writeFile(path.join(directory, 'cgroup.subtree_control'), '+io').catch(() => undefined)
      }
    },
    // Swap would hide an overrun and slow down all sandboxes, so there is none. `oom.group`: kills all of a sandbox or
    // nothing.
    memoryFiles: (bytes) => [
      ['memory.max', String(bytes)],
      ['memory.swap.max', '0'],
      ['memory.oom.group', '1'],
    ],
    cpuFiles: (cpus) => [['cpu.max', `${Math.round(cpus * cpuPeriodUs)} ${cpuPeriodUs}`]],
    swap: {
      isStrict: true,
      allow: [['memory.swap.max', 'max']],
      forbid: [['memory.swap.max', '0']],
      // Kernels before 6.16 don’t know how to leave the page cache alone.
      reclaim: ({ held, total }) => [
        ['memory.reclaim', `${held} swappiness=max`],
        ['memory.reclaim', String(total)],
      ],
    },
    names: { memory: 'memory.current', memoryPeak: 'memory.peak', memoryEvents: 'memory.events' },
  }
}

function splitLayout(mounted: string, name: string): Layout {
  return {
    directory: (controller, bootId) => path.join(mounted, controller, name, bootId),
    diskDirectory: () => undefined,
    parents: async () => (await readdir(mounted)).map((hierarchy) => path.join(mounted, hierarchy, name)),
    prepare: async () => {
      for (const controller of controllers) {
        await mkdir(path.join(mounted, controller, name), { recursive: true }).catch((cause: unknown) => {
          throw cgroupsMissing({ controller }, { cause })
        })
      }
    },
    // Not a prohibition, as the doctor says: the kernel can swap when it finds nothing else.
    memoryFiles: (bytes) => [
      ['memory.limit_in_bytes', String(bytes)],
      ['memory.swappiness', '0'],
    ],
    cpuFiles: (cpus) => [
      ['cpu.cfs_period_us', String(cpuPeriodUs)],
      ['cpu.cfs_quota_us', String(Math.round(cpus * cpuPeriodUs))],
    ],
    swap: {
      isStrict: false,
      allow: [['memory.swappiness', '100']],
      forbid: [['memory.swappiness', '0']],
      reclaim: () => [['memory.force_empty', '0']],
    },
    names: {
      memory: 'memory.usage_in_bytes',
      memoryPeak: 'memory.max_usage_in_bytes',
      memoryEvents: 'memory.oom_control',
    },
  }
}

async function killAll(directory: string): Promise<void> {
  await writeFile(path.join(directory, 'cgroup.kill'), '1').catch(() => undefined)
  // Without cgroup.kill (v1, kernels before 5.14) new processes may appear while the list is read: repeat until it is
  // empty.
  for (let attempt = 0; attempt < 500; attempt++) {
    const processes = (await readText(path.join(directory, 'cgroup.procs'))).split('\n').filter((line) => line !== '')
    if (processes.length === 0) return
    for (const pid of processes) killProcess(Number(pid))
    await delay(attempt < 20 ? 2 : 20)
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended after the list was read.
  }
}

/** A cgroup stays busy for some milliseconds after its last process ended, on a host without idle time for seconds. */
async function removeCgroup(directory: string): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await rmdir(directory)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      // A hierarchy that is not mounted can be a directory of a read-only file system, which refuses without checking
      // existence.
      if (code === 'ENOTDIR' || !(await exists(directory))) return
      if (code !== 'EBUSY' || attempt === 1000) throw error
      await delay(10)
    }
  }
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

async function readText(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '')
}

async function readNumber(file: string): Promise<number | null> {
  const text = await readText(file)
  return text === '' ? null : Number(text)
}
