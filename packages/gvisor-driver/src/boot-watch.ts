import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BootEndCause, BootStatus } from '@threadbox/sandbox-driver'
import type { Logger } from '@threadbox/telemetry'
import type { BootRecord, BootRecords } from './boot-record.ts'
import type { CgroupTree, CgroupUsage } from './cgroup-tree.ts'
import { type GuestExit, watchExit } from './exit-watch.ts'
import { followConsole, type GuestConsole } from './guest-console.ts'
import { controlSocketOf } from './kernel-control.ts'
import { isAlive } from './process-identity.ts'
import type { RunscVersions } from './runsc-versions.ts'

/** Follows boots to their end, determines the cause, and cleans up what an ended boot leaves on the host. */
export type BootWatches = {
  /** Follows the console and the end of a boot that was just started. */
  begin(options: { record: BootRecord; console: GuestConsole }): void
  /** Resolves when the boot has ended, was cleaned up and its end was recorded. */
  ended(record: BootRecord): Promise<EndedStatus>
  /** Removes everything of an ended boot except its record. */
  clean(bootId: string): Promise<void>
  drop(bootId: string): void
}

type EndedStatus = Extract<BootStatus, { state: 'ended' }>
type Watch = { console: GuestConsole | undefined; ended: Promise<EndedStatus> }
/** What was observed of the end; `watched` is false if it happened while no driver was running. */
type Observation = { watched: boolean; exit: GuestExit | undefined }

/** How often a process is checked when its kernel cannot be asked. */
const pollMs = 500
/**
 * A killed kernel closes its connection some milliseconds before its process is gone; a wake of its image waits for
 * that.
 */
const exitChecks = 50
/** After its first process ended, a sandbox takes some milliseconds to end. */
const settleMs = 10

export type BootWatchPorts = {
  runscs: RunscVersions
  /** runsc’s own state directory, which also contains the control sockets. */
  runscState: string
  cgroups: CgroupTree
  records: BootRecords
  machineBootId: string
  logger: Logger
  /** Aborted when this instance stops watching its boots. */
  signal: AbortSignal
}

export function makeBootWatches(ports: BootWatchPorts): BootWatches {
  const watches = new Map<string, Watch>()

  const watch = (record: BootRecord, guestConsole: GuestConsole | undefined): Watch => {
    const ended = follow(ports, { record, console: guestConsole })
    // Callers that wait get the error too; the next call starts a new watch.
    ended.catch((error: unknown) => {
      ports.logger.error({ err: error, bootId: record.bootId }, 'the end of a boot could not be recorded')
      watches.delete(record.bootId)
    })
    const made = { console: guestConsole, ended }
    watches.set(record.bootId, made)
    return made
  }
  const obtain = (record: BootRecord): Watch =>
    watches.get(record.bootId) ??
    watch(record, reopenConsole(path.join(ports.records.directoryOf(record.bootId), 'console')))
  return {
    begin: ({ record, console: guestConsole }) => {
      watch(record, guestConsole)
    },
    ended: async (record) => {
      if (record.end !== null) return endedStatus(record, record.end)
      return await obtain(record).ended
    },
    clean: (bootId) => clean(ports, bootId),
    drop: (bootId) => {
      watches.get(bootId)?.console?.close()
      watches.delete(bootId)
    },
  }
}

function reopenConsole(pipe: string): GuestConsole | undefined {
  try {
    return followConsole(pipe)
  } catch {
    // A start that was killed early has no pipe yet.
    return undefined
  }
}

async function follow(
  ports: BootWatchPorts,
  { record, console: guestConsole }: { record: BootRecord; console: GuestConsole | undefined },
): Promise<EndedStatus> {
  const { bootId } = record
  const observation = await observe(ports, record)
  const usage = await ports.cgroups.usage(bootId)
  const latest = (await ports.records.read(bootId)) ?? record
  const end =
    latest.end ??
    judge({
      record: latest,
      observation,
      usage,
      machineBootId: ports.machineBootId,
      lastOutput: lastLine(guestConsole),
    })
  await clean(ports, bootId)
  guestConsole?.close()
  await ports.records.write({ ...latest, phase: 'ended', end })
  return endedStatus(record, end)
}

/** Resolves when the boot's process is gone. */
async function observe(ports: BootWatchPorts, record: BootRecord): Promise<Observation> {
  const identity = record.process
  if (identity === null || record.machineBootId !== ports.machineBootId) return { watched: false, exit: undefined }
  let watched = false
  for (;;) {
    if (ports.signal.aborted) return await new Promise<never>(() => undefined)
    if (!(await isAlive(identity))) return { watched, exit: undefined }
    watched = true
    const exit = await watchExit({
      controlSocket: controlSocketOf(ports.runscState, record.bootId),
      containerId: record.bootId,
      signal: ports.signal,
    })
    if (exit !== undefined) {
      for (let waited = 0; (await isAlive(identity)) && waited < 5000; waited += settleMs) await delay(settleMs)
      return { watched, exit }
    }
    for (let check = 0; check < exitChecks && (await isAlive(identity)); check++) await delay(settleMs)
    if (await isAlive(identity)) await delay(pollMs, undefined, { ref: false })
  }
}

/**
 * Determines the cause from the observations. If no driver was watching and the host kept no trace, it is unknown, not
 * guessed.
 */
export function judge(facts: {
  record: BootRecord
  observation: Observation
  usage: CgroupUsage
  machineBootId: string
  /** The last line that the guest printed; empty if it printed nothing. */
  lastOutput: string
}): { cause: BootEndCause; detail: string } {
  const { record, observation, usage } = facts
  const refusals =
    usage.processRefusals > 0 ? ` The kernel refused ${usage.processRefusals} new processes (process limit).` : ''
  if (record.phase === 'stopping') return { cause: 'stopped', detail: 'Stopped on request.' }
  if (record.machineBootId !== facts.machineBootId) {
    return { cause: 'machine-restarted', detail: 'The host restarted while the sandbox was running.' }
  }
  if (usage.memoryKills > 0 && (observation.exit === undefined || 'signal' in observation.exit)) {
    const peak = usage.memoryPeakBytes === null ? '' : ` at ${Math.round(usage.memoryPeakBytes / 2 ** 20)} MiB`
    return {
      cause: 'memory-backstop',
      detail: `The kernel killed the sandbox${peak}: it exceeded its memory limit.${refusals}`,
    }
  }
  if (observation.exit !== undefined) {
    const how =
      'signal' in observation.exit
        ? `was killed by signal ${observation.exit.signal}`
        : `exited with code ${observation.exit.exitCode}`
    const lastOutput = facts.lastOutput === '' ? '' : ` Last output: ${facts.lastOutput}`
    return {
      cause: 'killed-inside',
      detail: `The sandbox’s first process ${how} from inside.${lastOutput}${refusals}`,
    }
  }
  if (observation.watched) {
    return { cause: 'killed-outside', detail: `A process on the host killed the sandbox.${refusals}` }
  }
  return { cause: 'unknown', detail: `The sandbox stopped while the host daemon wasn’t running.${refusals}` }
}

function lastLine(guestConsole: GuestConsole | undefined): string {
  return guestConsole?.tail().trim().split('\n').at(-1)?.slice(-300) ?? ''
}

/** Removes processes, runsc's records and cgroups. Can be repeated. */
async function clean(ports: BootWatchPorts, bootId: string): Promise<void> {
  await ports.cgroups.killAll(bootId)
  const runscPath = (await ports.records.read(bootId))?.runscPath ?? ports.runscs.currentPath
  const filesOfRunsc = async () => (await readdir(ports.runscState)).filter((name) => name.includes(bootId))
  if ((await filesOfRunsc()).length > 0) {
    await ports.runscs
      .at(runscPath)
      .delete(bootId)
      .catch((error: unknown) => {
        // Without a process that reaps orphans, runsc takes dead processes for running ones and refuses. Nothing is
        // running anymore: only the files are left.
        ports.logger.warn({ err: error, bootId }, 'runsc could not remove an ended container; removing its records')
      })
  }
  // Also if runsc succeeded: if a power cut destroyed a container’s state, runsc leaves lock and socket.
  const left = await filesOfRunsc()
  await Promise.all(left.map((name) => rm(path.join(ports.runscState, name), { recursive: true, force: true })))
  await ports.cgroups.remove(bootId)
}

function endedStatus(record: BootRecord, end: { cause: BootEndCause; detail: string }): EndedStatus {
  return { bootId: record.bootId, sandboxId: record.sandboxId, state: 'ended', ...end }
}
