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
import { type BootMemoryPorts, freezeBoot, saveBoot, thawBoot } from './boot-memory.ts'
import { type BootRecord, makeBootRecords } from './boot-record.ts'
import { type BootStartPorts, startBoot } from './boot-start.ts'
import { type BootWatches, type BootWatchPorts, makeBootWatches } from './boot-watch.ts'
import { type DiskRate, makeCgroupTree } from './cgroup-tree.ts'
import { makeGuestArguments } from './guest-manifest.ts'
import { judgeImage } from './memory-image.ts'
import { isAlive, machineBootId } from './process-identity.ts'
import { makeRunscVersions } from './runsc-versions.ts'

export type GvisorDriverOptions = {
  /** The program for new boots. Other installed versions handle what they created: see {@link RunscVersions}. */
  runscPath: string
  /** The ID of the installation: part of every cgroup’s name. */
  installation: string
  /** Records, console pipes and runsc’s own state; a short path, because a socket’s path has at most 107 characters. */
  stateDirectory: string
  /** Default: no limit. */
  diskRate?: DiskRate
  logger: Logger
  /** When aborted, the driver stops watching its boots: they keep running, and another instance can take them over. */
  signal?: AbortSignal
}

type DriverPorts = BootStartPorts & BootWatchPorts & BootMemoryPorts

/** The sandbox driver on gVisor’s runsc. Every boot is one container, whose ID is the boot ID. */
export async function makeGvisorDriver(options: GvisorDriverOptions): Promise<MemorySavingDriver> {
  const runscState = path.join(options.stateDirectory, 'runsc')
  const bootsDirectory = path.join(options.stateDirectory, 'boots')
  for (const directory of [runscState, bootsDirectory]) await mkdir(directory, { recursive: true, mode: 0o700 })
  const runscs = makeRunscVersions({ runscPath: options.runscPath, stateDirectory: runscState })
  const current = runscs.at(runscs.currentPath)
  let features: Promise<string[]> | undefined
  const ports: DriverPorts = {
    runscs,
    cpuFeatures: () => {
      features ??= current.cpuFeatures()
      return features
    },
    runscState,
    cgroups: await makeCgroupTree({
      installation: options.installation,
      diskRate: options.diskRate ?? { bytesPerSecond: 0, devices: async () => [] },
      logger: options.logger,
    }),
    records: makeBootRecords(bootsDirectory),
    machineBootId: await machineBootId(),
    guestArguments: makeGuestArguments(),
    logger: options.logger,
    signal: options.signal ?? new AbortController().signal,
  }
  // The rate may have been changed since these boots started.
  for (const bootId of await ports.cgroups.list()) await ports.cgroups.limitDisk(bootId)
  const watches = makeBootWatches(ports)
  const starts = makeSingleFlight()
  const judge = async (directory: string) => judgeImage({ directory, runscs, cpuFeatures: await ports.cpuFeatures() })

  return {
    describe: async () => ({ name: 'gvisor', version: await current.version() }),
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
    saveMemory: async ({ bootId, directory }) => {
      const record = await runningRecord(ports, bootId)
      return await saveBoot(ports, { record, directory })
    },
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
