import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { makeSingleFlight, orAborted } from '@threadbox/concurrency'
import type { SandboxLimits } from '@threadbox/domain'
import {
  type BootStatus,
  bootNotRunning,
  bootRunning,
  bootUnknown,
  type MemorySavingDriver,
  memoryUnusable,
} from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import { type BootCompression, makeBootCompression } from './boot-compression.ts'
import { type BootFreezePorts, freezeBoot, thawBoot } from './boot-freeze.ts'
import { type BootMemoryPorts, saveBoot } from './boot-memory.ts'
import { type BootRecord, makeBootRecords } from './boot-record.ts'
import { type BootStartPorts, startBoot } from './boot-start.ts'
import { type BootWatches, type BootWatchPorts, makeBootWatches } from './boot-watch.ts'
import { type CgroupTree, type DiskRate, listCgroups, makeCgroupTree, removeCgroupTree } from './cgroup-tree.ts'
import { makeConsolePipes } from './console-pipes.ts'
import { makeFreezeMarks } from './freeze-marks.ts'
import { ensureGoferNamespace, goferNamespaceOf, removeGoferNamespace } from './gofer-namespace.ts'
import { makeGuestArguments } from './guest-manifest.ts'
import { makeKernelControl } from './kernel-control.ts'
import { judgeImage } from './memory-image.ts'
import { isAlive, machineBootId } from './process-identity.ts'
import { findHelpers, helpersPlaceOf, makeHelpersPlace, removeHelpersPlace } from './runsc-helpers.ts'
import { makeRunscVersions } from './runsc-versions.ts'
import { makeZramDevice } from './zram-device.ts'

export type GvisorDriverOptions = {
  /** The program for new boots. Other installed versions handle what they created: see {@link RunscVersions}. */
  runscPath: string
  /** The ID of the installation: part of every cgroup’s name. */
  installation: string
  /** Records, console pipes and runsc’s own state; a short path, because a socket’s path has at most 107 characters. */
  stateDirectory: string
  /** Default: no limit. */
  diskRate?: DiskRate
  /** True if memory of frozen boots can be compressed. Default: false. */
  compressesFrozen?: boolean
  logger: Logger
  /** How long the kernel of a sandbox has to reply to a call; 0: commands of runsc are used instead. Default: 10 s. */
  kernelReplyMs?: number
  /** When aborted, the driver stops watching its boots: they keep running, and another instance can take them over. */
  signal?: AbortSignal
}

type DriverPorts = BootStartPorts & BootWatchPorts & BootMemoryPorts & BootFreezePorts

/** A kernel that takes longer is asked again by a command of runsc, which waits for 30 s. */
const defaultKernelReplyMs = 10_000

/** The sandbox driver on gVisor’s runsc. Every boot is one container, whose ID is the boot ID. */
export async function makeGvisorDriver(options: GvisorDriverOptions): Promise<MemorySavingDriver> {
  const runscState = path.join(options.stateDirectory, 'runsc')
  const bootsDirectory = path.join(options.stateDirectory, 'boots')
  for (const directory of [runscState, bootsDirectory]) await mkdir(directory, { recursive: true, mode: 0o700 })
  const { installation, runscPath } = options
  const [goferNamespace, helpersPlace] = [goferNamespaceOf(installation), helpersPlaceOf(installation)]
  const runscs = makeRunscVersions({ runscPath, stateDirectory: runscState, goferNamespace, helpersPlace })
  const current = runscs.at(runscs.currentPath)
  const records = makeBootRecords(bootsDirectory)
  const preparation = makeSingleFlight()
  const consolePipes = await makeConsolePipes(path.join(options.stateDirectory, 'pipes'))
  let features: Promise<string[]> | undefined
  const ports: DriverPorts = {
    runscs,
    cpuFeatures: () => {
      features ??= current.cpuFeatures()
      return features
    },
    runscState,
    prepareStart: async ({ consolePipe }) => {
      const shared = preparation.join('start', async () => {
        await ensureGoferNamespace(installation)
        await makeHelpersPlace(installation)
      })
      await Promise.all([consolePipes.place(consolePipe), shared])
    },
    cgroups: await openCgroups(options),
    records,
    freezeMarks: makeFreezeMarks(records),
    kernel: makeKernelControl({ runscState, replyMs: options.kernelReplyMs ?? defaultKernelReplyMs }),
    machineBootId: await machineBootId(),
    guestArguments: makeGuestArguments(),
    logger: options.logger,
    signal: options.signal ?? new AbortController().signal,
  }
  const compression = openCompression(options, ports.cgroups)
  const watches = makeBootWatches(ports)
  const starts = makeSingleFlight()
  const judge = async (directory: string) => judgeImage({ directory, runscs, cpuFeatures: await ports.cpuFeatures() })

  return {
    describe: async () => ({
      name: 'gvisor',
      version: await current.version(),
      isComplete: (await findHelpers(runscPath)) !== undefined,
    }),
    start: (request) => starts.join(request.bootId, () => startBoot(ports, { request, watches })),
    startFromMemory: ({ directory, ...request }) =>
      starts.join(request.bootId, async () => {
        const judgement = await judge(directory)
        if ('problem' in judgement) throw memoryUnusable(judgement)
        await startBoot(ports, { request, watches, image: { directory, ...judgement } })
      }),
    judgeMemory: async (directory) => {
      const judgement = await judge(directory)
      return 'problem' in judgement ? judgement : undefined
    },
    freeze: async (bootId) => freezeBoot(ports, await runningRecord(ports, bootId)),
    thaw: async (bootId) => thawBoot(ports, await runningRecord(ports, bootId)),
    mayBeFrozen: async (bootId) => (await ports.freezeMarks.read(bootId)) !== 'no',
    compress: async (order) => {
      await runningRecord(ports, order.bootId)
      if ((await ports.freezeMarks.read(order.bootId)) !== 'no') await compression.compress(order)
    },
    compression: compression.state,
    saveMemory: async ({ bootId, directory }) =>
      saveBoot(ports, { record: await runningRecord(ports, bootId), directory }),
    stop: async (bootId) => {
      // Waits for a start in progress, so that there is one thing to stop.
      await starts.present(bootId)?.catch(() => undefined)
      await stopBoot(ports, { bootId, watches })
    },
    forget: async (bootId) => {
      const status = await inspectBoot(ports, { bootId, watches })
      if (status?.state === 'running') throw bootRunning({ bootId })
      watches.drop(bootId)
      await ports.records.remove(bootId)
    },
    inspect: (bootId) => inspectBoot(ports, { bootId, watches }),
    list: async () => {
      const known = new Set([...(await ports.records.list()), ...(await ports.cgroups.list())])
      const all = await Promise.all(
        [...known].map(async (bootId) => {
          const status = await inspectBoot(ports, { bootId, watches })
          // Its record was lost with the host.
          if (status === undefined && starts.present(bootId) === undefined) await ports.records.remove(bootId)
          return status
        }),
      )
      return all.filter((status) => status !== undefined)
    },
    setLimits: (limits) => setLimits(ports, limits),
    waitForEnd: async (bootId, signal) => {
      const record = await ports.records.read(bootId)
      if (record === undefined) throw bootUnknown({ bootId })
      return await orAborted(watches.ended(record), signal)
    },
  }
}

/** The cgroups of boots, with the settings of this daemon also for those that an earlier one started. */
async function openCgroups({ installation, diskRate, logger }: GvisorDriverOptions): Promise<CgroupTree> {
  const cgroups = await makeCgroupTree({
    installation,
    diskRate: diskRate ?? { bytesPerSecond: 0, devices: async () => [] },
    logger,
  })
  for (const bootId of await cgroups.list()) {
    await cgroups.limitDisk(bootId)
    // It was killed while it compressed memory, or knew no swap.
    await cgroups.forbidSwap(bootId).catch((error: unknown) => {
      logger.warn({ err: error, bootId }, 'swap was not forbidden to a sandbox')
    })
  }
  return cgroups
}

function openCompression(
  { installation, compressesFrozen, logger }: GvisorDriverOptions,
  cgroups: CgroupTree,
): BootCompression {
  const device = makeZramDevice({ installation })
  return makeBootCompression({ isEnabled: compressesFrozen ?? false, device, cgroups, logger })
}

/**
 * Removes the swap of an installation that has no boots. It stays while one runs, whose memory can be in it; a driver that starts
 * later uses it again.
 */
export async function removeUnusedSwapOf(installation: string): Promise<void> {
  if ((await listCgroups(installation)).length > 0) return
  await makeZramDevice({ installation }).remove()
}

/**
 * Removes what the driver of an installation has added to the kernel: control groups, the swap for frozen sandboxes, the namespace
 * of its gofers, and where its helpers are mounted.
 * Requires that its sandboxes have ended.
 */
export async function removeDriverOf(installation: string): Promise<void> {
  await removeCgroupTree(installation)
  await makeZramDevice({ installation }).remove()
  await removeGoferNamespace(installation)
  await removeHelpersPlace(installation)
}

async function stopBoot(
  ports: DriverPorts,
  { bootId, watches }: { bootId: string; watches: BootWatches },
): Promise<void> {
  const record = await ports.records.read(bootId)
  if (record === undefined) return await watches.clean(bootId)
  if (record.phase === 'ended') return
  await ports.records.write({ ...record, phase: 'stopping' })
  await ports.cgroups.killAll(bootId)
  await watches.ended(record)
}

async function inspectBoot(
  ports: DriverPorts,
  { bootId, watches }: { bootId: string; watches: BootWatches },
): Promise<BootStatus | undefined> {
  const record = await ports.records.read(bootId)
  if (record === undefined) {
    // A cgroup without a record is left by a start that was killed in its first milliseconds.
    await watches.clean(bootId)
    return undefined
  }
  if (await isRunning(ports, record)) {
    const { memoryBytes } = await ports.cgroups.usage(bootId)
    const pid = record.process?.pid ?? 0
    return { bootId, sandboxId: record.sandboxId, state: 'running', pid, memoryBytes }
  }
  return await watches.ended(record)
}

async function isRunning(ports: Pick<DriverPorts, 'machineBootId'>, record: BootRecord): Promise<boolean> {
  if (record.phase === 'ended' || record.process === null) return false
  return record.machineBootId === ports.machineBootId && (await isAlive(record.process))
}

async function runningRecord(ports: DriverPorts, bootId: string): Promise<BootRecord> {
  const record = await ports.records.read(bootId)
  if (record === undefined || !(await isRunning(ports, record))) throw bootNotRunning({ bootId })
  return record
}

async function setLimits(
  ports: DriverPorts,
  { bootId, limits }: { bootId: string; limits: SandboxLimits },
): Promise<void> {
  await runningRecord(ports, bootId)
  await ports.cgroups.applyBackstop({ bootId, limits })
}
