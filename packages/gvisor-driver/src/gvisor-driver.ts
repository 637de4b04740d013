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
import { freezeBoot, saveBoot, thawBoot } from './boot-memory.ts'
import { type BootRecord, makeBootRecords } from './boot-record.ts'
import { type BootParts, startBoot } from './boot-start.ts'
import { type BootWatches, makeBootWatches } from './boot-watch.ts'
import { makeCgroupTree } from './cgroup-tree.ts'
import { makeGuestArguments } from './guest-manifest.ts'
import { judgeImage } from './memory-image.ts'
import { isAlive, machineBootId } from './process-identity.ts'
import { makeRunscVersions } from './runsc-versions.ts'

export type GvisorDriverOptions = {
  /** The program for new boots. Other versions beside it are used for what they made: see {@link RunscVersions}. */
  runscPath: string
  /** Id of the installation: part of every cgroup's name. */
  installation: string
  /** Records, console pipes and runsc's own state; short, because a socket's path has at most 107 characters. */
  stateDirectory: string
  logger: Logger
  /** When aborted the driver lets go of its boots: they run on, and another instance may take them over. */
  signal?: AbortSignal
}

/** The sandbox driver on gVisor's runsc. Every boot is one container, whose id is the boot id. */
export async function makeGvisorDriver(options: GvisorDriverOptions): Promise<MemorySavingDriver> {
  const runscState = path.join(options.stateDirectory, 'runsc')
  const bootsDirectory = path.join(options.stateDirectory, 'boots')
  for (const directory of [runscState, bootsDirectory]) await mkdir(directory, { recursive: true, mode: 0o700 })
  const runscs = makeRunscVersions({ runscPath: options.runscPath, stateDirectory: runscState })
  const current = runscs.at(runscs.currentPath)
  let features: Promise<string[]> | undefined
  const parts: BootParts = {
    runscs,
    cpuFeatures: () => {
      features ??= current.cpuFeatures()
      return features
    },
    runscState,
    cgroups: await makeCgroupTree({ installation: options.installation }),
    records: makeBootRecords(bootsDirectory),
    machineBootId: await machineBootId(),
    guestArguments: makeGuestArguments(),
    logger: options.logger,
    signal: options.signal ?? new AbortController().signal,
  }
  const watches = makeBootWatches(parts)
  const starts = makeSingleFlight()
  const judge = async (directory: string) => judgeImage({ directory, runscs, cpuFeatures: await parts.cpuFeatures() })

  return {
    describe: async () => ({ name: 'gvisor', version: await current.version() }),
    start: (request) => starts.join(request.bootId, () => startBoot(parts, { request, watches })),
    startFromMemory: ({ directory, ...request }) =>
      starts.join(request.bootId, async () => {
        const judgement = await judge(directory)
        if ('problem' in judgement) throw memoryUnusable(judgement)
        await startBoot(parts, { request, watches, image: { directory, runscPath: judgement.runscPath } })
      }),
    judgeMemory: async (directory) => {
      const judgement = await judge(directory)
      return 'problem' in judgement ? judgement : undefined
    },
    freeze: async (bootId) => freezeBoot(parts, await runningRecord(parts, bootId)),
    thaw: async (bootId) => thawBoot(parts, await runningRecord(parts, bootId)),
    saveMemory: async ({ bootId, directory }) => {
      const record = await runningRecord(parts, bootId)
      return await saveBoot(parts, { record, directory })
    },
    stop: async (bootId) => {
      // A start that is under way ends first, so that there is one thing to stop.
      await starts.present(bootId)?.catch(() => undefined)
      await stopBoot(parts, { bootId, watches })
    },
    forget: async (bootId) => {
      const status = await inspectBoot(parts, { bootId, watches })
      if (status?.state === 'running') throw bootRunning({ bootId })
      watches.drop(bootId)
      await parts.records.remove(bootId)
    },
    inspect: (bootId) => inspectBoot(parts, { bootId, watches }),
    list: async () => {
      const known = new Set([...(await parts.records.list()), ...(await parts.cgroups.list())])
      const all = await Promise.all(
        [...known].map(async (bootId) => {
          const status = await inspectBoot(parts, { bootId, watches })
          // Its record was lost with the machine.
          if (status === undefined && starts.present(bootId) === undefined) await parts.records.remove(bootId)
          return status
        }),
      )
      return all.filter((status) => status !== undefined)
    },
    setLimits: (limits) => setLimits(parts, limits),
    waitForEnd: async (bootId, signal) => {
      const record = await parts.records.read(bootId)
      if (record === undefined) throw bootUnknown({ bootId })
      return await orAborted(watches.ended(record), signal)
    },
  }
}

async function stopBoot(
  parts: BootParts,
  { bootId, watches }: { bootId: string; watches: BootWatches },
): Promise<void> {
  const record = await parts.records.read(bootId)
  if (record === undefined) return await watches.clean(bootId)
  if (record.phase === 'ended') return
  await parts.records.write({ ...record, phase: 'stopping' })
  await parts.cgroups.killAll(bootId)
  await watches.ended(record)
}

async function inspectBoot(
  parts: BootParts,
  { bootId, watches }: { bootId: string; watches: BootWatches },
): Promise<BootStatus | undefined> {
  const record = await parts.records.read(bootId)
  if (record === undefined) {
    // A cgroup without a record is what a start that was killed in its first milliseconds leaves.
    await watches.clean(bootId)
    return undefined
  }
  if (await isRunning(parts, record)) {
    const { memoryBytes } = await parts.cgroups.usage(bootId)
    const pid = record.process?.pid ?? 0
    return { bootId, sandboxId: record.sandboxId, state: 'running', pid, memoryBytes }
  }
  return await watches.ended(record)
}

async function isRunning(parts: BootParts, record: BootRecord): Promise<boolean> {
  if (record.phase === 'ended' || record.process === null) return false
  return record.machineBootId === parts.machineBootId && (await isAlive(record.process))
}

async function runningRecord(parts: BootParts, bootId: string): Promise<BootRecord> {
  const record = await parts.records.read(bootId)
  if (record === undefined || !(await isRunning(parts, record))) throw bootNotRunning({ bootId })
  return record
}

async function setLimits(
  parts: BootParts,
  { bootId, limits }: { bootId: string; limits: SandboxLimits },
): Promise<void> {
  await runningRecord(parts, bootId)
  await parts.cgroups.applyBackstop({ bootId, limits })
}
