import { setTimeout as delay } from 'node:timers/promises'
import { runs } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { guestProcesses } from '../processes/activity.ts'
import { killAll, runVariable } from '../processes/process-family.ts'
import { isZombie, type ProcessEntry, readInitialVariable } from '../processes/process-table.ts'
import type { FrozenProcesses, View } from './frozen-processes.ts'
import { type Candidate, type Runaway, victimsOf } from './runaway-process.ts'
import type { Termination, Terminations } from './terminations.ts'

/** A program that fills the sandbox again within this time is ended without sparing any part of it. */
const repeatMs = 600_000
const runawaysKept = 20
const namesShown = 3
const goneWithinMs = 2_000
const gonePollMs = 20

/** Ends a runaway program. Resolves with false if none of its processes can be ended. */
export type EndRunaway = (runaway: Runaway, found: { limit: number; frozen: FrozenProcesses }) => Promise<boolean>

export type EndRunawayDependencies = {
  terminations: Pick<Terminations, 'add'>
  /** Tells whether this process is the shell that a command runs in. */
  isCommandShell(pid: number): boolean
  logger: Logger
  view: View
}

export function makeEndRunaway(dependencies: EndRunawayDependencies): EndRunaway {
  const { terminations, isCommandShell, logger, view } = dependencies
  let earlier: { runaway: Runaway; at: number }[] = []
  return async (runaway, { limit, frozen }) => {
    const at = performance.now()
    const isRepeated = earlier.some((one) => at - one.at < repeatMs && isSame(one.runaway, runaway))
    const wanted = isRepeated ? runaway.members : victimsOf(runaway, isCommandShell)
    const victims = wanted.filter((victim) => !isZombie(victim))
    if (victims.length === 0) return false
    earlier = [...earlier, { runaway, at }].slice(-runawaysKept)
    const termination = terminationOf(runaway, { victims, limit, at })
    // Before the first signal, so that the execution that ends because of it finds the reason.
    terminations.add(termination)
    logger.warn({ processes: victims.length, sessions: [...runaway.sessions], isRepeated }, termination.message)
    const pids = new Set(victims.map(({ pid }) => pid))
    // A stopped process would get a hangup when its parent is ended.
    frozen.release(pids)
    const isEnded = await killAll(makeFinder({ runaway, victims, list: view.list }))
    if (!isEnded) logger.error({ sessions: [...runaway.sessions] }, 'some processes could not be ended')
    await untilGone(pids, view)
    return true
  }
}

/** An ended process counts against the limit until its parent has waited for it. */
async function untilGone(pids: ReadonlySet<number>, view: View) {
  const deadline = performance.now() + goneWithinMs
  while (performance.now() < deadline && view.pids().some((pid) => pids.has(pid))) await delay(gonePollMs)
}

/** Finds the living victims and what they, or others of the runaway, have started since. */
function makeFinder(options: {
  runaway: Runaway
  victims: Candidate[]
  list: () => ProcessEntry[]
}): () => ProcessEntry[] {
  const { runaway, list } = options
  const known = new Set(options.victims.map(identityOf))
  const spared = new Set(runaway.members.map(identityOf)).difference(known)
  // Asking a process for its mark costs as much as everything else, and the result does not change.
  const strangers = new Set<string>()
  return () => {
    const processes = list()
    const own = guestProcesses(processes)
    const candidates = processes.filter((entry) => !own.has(entry.pid) && !spared.has(identityOf(entry)))
    const pids = new Set(candidates.filter((entry) => known.has(identityOf(entry))).map(({ pid }) => pid))
    for (const entry of candidates) {
      if (pids.has(entry.pid) || strangers.has(identityOf(entry))) continue
      if (belongs(entry, runaway)) pids.add(entry.pid)
      else strangers.add(identityOf(entry))
    }
    for (let before = -1; before !== pids.size; ) {
      before = pids.size
      for (const { pid, parent } of candidates) if (pids.has(parent)) pids.add(pid)
    }
    const found = candidates.filter((entry) => pids.has(entry.pid))
    for (const entry of found) known.add(identityOf(entry))
    return found.filter((entry) => !isZombie(entry))
  }
}

/** Tells whether a process that did not exist when the runaway was found belongs to it. */
function belongs(entry: ProcessEntry, runaway: Runaway): boolean {
  if (entry.startTicks < runaway.sinceTicks) return false
  if (runaway.sessions.has(entry.session)) return true
  const mark = readInitialVariable(entry.pid, runVariable)
  if (mark !== undefined) return runaway.marks.has(mark)
  // While no other process can be started, a process without a parent comes from the runaway.
  return entry.startTicks >= runaway.foundTicks && entry.parent <= 1
}

/** A pid can be reused, but not for a process that began at the same time. */
function identityOf({ pid, startTicks }: ProcessEntry): string {
  return `${pid}/${startTicks}`
}

function isSame(left: Runaway, right: Runaway): boolean {
  return !left.sessions.isDisjointFrom(right.sessions) || !left.marks.isDisjointFrom(right.marks)
}

function terminationOf(runaway: Runaway, judged: { victims: Candidate[]; limit: number; at: number }): Termination {
  const { victims, limit, at } = judged
  const threads = victims.reduce((sum, victim) => sum + victim.threads, 0)
  const names = [...Map.groupBy(victims, (victim) => victim.name)]
    .sort((left, right) => right[1].length - left[1].length)
    .map(([name, named]) => `${named.length} × ${name}`)
  const what = victims.length === 1 ? '1 process' : `${victims.length} processes`
  const withThreads = threads === victims.length ? '' : ` with ${threads} threads`
  const more = names.length > namesShown ? ', …' : ''
  return {
    cause: runs.EndCause.OUT_OF_PROCESSES,
    message: `Ended: ${what}${withThreads} (${names.slice(0, namesShown).join(', ')}${more}). The sandbox reached its limit of ${limit} processes and threads, so nothing else could start.`,
    at,
    pids: new Set(victims.map(({ pid }) => pid)),
    marks: runaway.marks,
    sessions: runaway.sessions,
    isUntraceable: runaway.isUntraceable,
    ancestors: new Set(victims.map(({ parent }) => parent)),
  }
}
