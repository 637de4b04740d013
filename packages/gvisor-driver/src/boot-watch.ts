import { readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { BootEndCause, BootStatus } from '@threadbox/sandbox-driver'
import type { BootRecord } from './boot-record.ts'
import type { BootParts } from './boot-start.ts'
import type { CgroupUsage } from './cgroup-tree.ts'
import { type GuestExit, watchExit } from './exit-watch.ts'
import { followConsole, type GuestConsole } from './guest-console.ts'
import { isAlive } from './process-identity.ts'

/** Follows boots to their end, finds the cause, and cleans up what an ended boot leaves on the machine. */
export type BootWatches = {
  /** Follows the console and the end of a boot that was just started. */
  begin(options: { record: BootRecord; console: GuestConsole }): void
  /** Resolves when the boot has ended, was cleaned up and its end was recorded. */
  ended(record: BootRecord): Promise<EndedStatus>
  /** Removes everything of an ended boot but its record. */
  clean(bootId: string): Promise<void>
  drop(bootId: string): void
}

type EndedStatus = Extract<BootStatus, { state: 'ended' }>
type Watch = { console: GuestConsole | undefined; ended: Promise<EndedStatus> }
/** What was seen of the end; `watched` is false when it happened while no driver was there to see it. */
type Observation = { watched: boolean; exit: GuestExit | undefined }

/** How often a process is looked at when its kernel cannot be asked. */
const pollMs = 500
/** A kernel that was killed hangs up some milliseconds before its process is gone; whoever wakes its image waits for that. */
const dyingLooks = 50
/** After its first process ended a sandbox takes some milliseconds to go. */
const settleMs = 10

export function makeBootWatches(parts: BootParts): BootWatches {
  const watches = new Map<string, Watch>()

  const watch = (record: BootRecord, guestConsole: GuestConsole | undefined): Watch => {
    const ended = follow(parts, { record, console: guestConsole })
    // Whoever waits is told too; the next who asks begins anew.
    ended.catch((error: unknown) => {
      parts.logger.error({ err: error, bootId: record.bootId }, 'the end of a boot could not be recorded')
      watches.delete(record.bootId)
    })
    const made = { console: guestConsole, ended }
    watches.set(record.bootId, made)
    return made
  }
  const obtain = (record: BootRecord): Watch =>
    watches.get(record.bootId) ??
    watch(record, reopenConsole(path.join(parts.records.directoryOf(record.bootId), 'console')))
  return {
    begin: ({ record, console: guestConsole }) => {
      watch(record, guestConsole)
    },
    ended: async (record) => {
      if (record.end !== null) return endedStatus(record, record.end)
      return await obtain(record).ended
    },
    clean: (bootId) => clean(parts, bootId),
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
  parts: BootParts,
  { record, console: guestConsole }: { record: BootRecord; console: GuestConsole | undefined },
): Promise<EndedStatus> {
  const { bootId } = record
  const observation = await observe(parts, record)
  const usage = await parts.cgroups.usage(bootId)
  const latest = (await parts.records.read(bootId)) ?? record
  const end =
    latest.end ??
    judge({ record: latest, observation, usage, machineBootId: parts.machineBootId, lastWords: lastLine(guestConsole) })
  await clean(parts, bootId)
  guestConsole?.close()
  await parts.records.write({ ...latest, phase: 'ended', end })
  return endedStatus(record, end)
}

/** Resolves when the boot's process is gone. */
async function observe(parts: BootParts, record: BootRecord): Promise<Observation> {
  const identity = record.process
  if (identity === null || record.machineBootId !== parts.machineBootId) return { watched: false, exit: undefined }
  let watched = false
  for (;;) {
    if (parts.signal.aborted) return await new Promise<never>(() => undefined)
    if (!(await isAlive(identity))) return { watched, exit: undefined }
    watched = true
    const exit = await watchExit({
      controlSocket: path.join(parts.runscState, `runsc-${record.bootId}.sock`),
      containerId: record.bootId,
      signal: parts.signal,
    })
    if (exit !== undefined) {
      for (let waited = 0; (await isAlive(identity)) && waited < 5000; waited += settleMs) await delay(settleMs)
      return { watched, exit }
    }
    for (let look = 0; look < dyingLooks && (await isAlive(identity)); look++) await delay(settleMs)
    if (await isAlive(identity)) await delay(pollMs, undefined, { ref: false })
  }
}

/** The cause, from what was seen. Where nobody was looking and the machine kept no trace, it is unknown, not guessed. */
export function judge(facts: {
  record: BootRecord
  observation: Observation
  usage: CgroupUsage
  machineBootId: string
  /** Last line that the guest printed; empty when it printed none. */
  lastWords: string
}): { cause: BootEndCause; detail: string } {
  const { record, observation, usage } = facts
  const refusals =
    usage.processRefusals > 0 ? ` ${usage.processRefusals} times a process could not be made (process backstop).` : ''
  if (record.phase === 'stopping') return { cause: 'stopped', detail: 'Stopped by order.' }
  if (record.machineBootId !== facts.machineBootId) {
    return { cause: 'machine-restarted', detail: 'The machine was restarted while the sandbox was running.' }
  }
  if (usage.memoryKills > 0 && (observation.exit === undefined || 'signal' in observation.exit)) {
    const peak = usage.memoryPeakBytes === null ? '' : ` at ${Math.round(usage.memoryPeakBytes / 2 ** 20)} MiB`
    return {
      cause: 'memory-backstop',
      detail: `The kernel ended the sandbox${peak}: over its memory limit.${refusals}`,
    }
  }
  if (observation.exit !== undefined) {
    const how =
      'signal' in observation.exit
        ? `was killed by signal ${observation.exit.signal}`
        : `ended with exit code ${observation.exit.exitCode}`
    const lastWords = facts.lastWords === '' ? '' : ` Its last words: ${facts.lastWords}`
    return {
      cause: 'killed-inside',
      detail: `The sandbox’s first process ${how}, inside the sandbox.${lastWords}${refusals}`,
    }
  }
  if (observation.watched) {
    return { cause: 'killed-outside', detail: `The sandbox was killed by something on the host.${refusals}` }
  }
  return { cause: 'unknown', detail: `The sandbox ended while the host daemon was not running.${refusals}` }
}

function lastLine(guestConsole: GuestConsole | undefined): string {
  return guestConsole?.tail().trim().split('\n').at(-1)?.slice(-300) ?? ''
}

/** Removes processes, runsc's records and cgroups. Can be repeated. */
async function clean(parts: BootParts, bootId: string): Promise<void> {
  await parts.cgroups.killAll(bootId)
  const runscPath = (await parts.records.read(bootId))?.runscPath ?? parts.runscs.currentPath
  const filesOfRunsc = async () => (await readdir(parts.runscState)).filter((name) => name.includes(bootId))
  if ((await filesOfRunsc()).length > 0) {
    await parts.runscs
      .at(runscPath)
      .delete(bootId)
      .catch((error: unknown) => {
        // Where nobody reaps orphans runsc takes the dead for living and refuses. Nothing runs any more: the files are
        // all that is left.
        parts.logger.warn({ err: error, bootId }, 'runsc could not remove an ended container; removing its records')
      })
  }
  // Also after runsc was content: of a container whose state a power cut took it leaves lock and socket.
  const left = await filesOfRunsc()
  await Promise.all(left.map((name) => rm(path.join(parts.runscState, name), { recursive: true, force: true })))
  await parts.cgroups.remove(bootId)
}

function endedStatus(record: BootRecord, end: { cause: BootEndCause; detail: string }): EndedStatus {
  return { bootId: record.bootId, sandboxId: record.sandboxId, state: 'ended', ...end }
}
