import { runs } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import { guestProcesses } from '../init/activity.ts'
import { killAll, runVariable } from '../processes/process-family.ts'
import {
  countProcesses,
  isZombie,
  listProcesses,
  type ProcessEntry,
  startVariable,
} from '../processes/process-table.ts'
import { isFull, type Look, lookAt } from './process-looks.ts'
import { type Candidate, findOffender, type Offender, type Snapshot, victimsOf } from './process-offender.ts'
import type { Verdict, Verdicts } from './verdicts.ts'

/** Milliseconds. */
export type ProcessWatchdogPace = {
  /** Between looks while there is much room, and while there is little. */
  calmMs: number
  alertMs: number
  /** How long the sandbox has to be full before programs that multiply are ended. */
  multiplyingMs: number
  /** The same for programs that do not: a build that is a little too wide may be through by then. */
  fillingMs: number
}
const usualPace: ProcessWatchdogPace = { calmMs: 1_000, alertMs: 250, multiplyingMs: 2_000, fillingMs: 20_000 }

/** Above this share of the limit it is looked at often. */
const watchShare = 0.4
/** The emptiest of the last looks tells what there was before. */
const snapshotsKept = 600
/** Reading every process takes half a millisecond for each: while there are few, one look in five does. */
const fewShare = 0.25
const looksPerReading = 5
/** A program that fills the sandbox again within this time is ended without sparing any part of it. */
const repeatMs = 600_000
const offendersKept = 20
const namesTold = 3
/** Looking must leave the guest time for everything else: the pause after it is this much longer. */
const restFactor = 3

/** Ends what fills the sandbox with processes and keeps it full, so that everything else can start its own again. */
export type ProcessWatchdog = {
  /** Whether nothing can be started at this moment, or what is to blame for that is being ended. */
  isFull(): boolean
  stop(): void
}

export type ProcessWatchdogDependencies = {
  /** How many processes and threads there may be. Undefined until the host has said. */
  limit: () => number | undefined
  verdicts: Pick<Verdicts, 'add'>
  /** Whether this process is the shell that a command runs in. */
  isCommandShell(pid: number): boolean
  logger: Logger
  /** Everything that is looked at; the whole sandbox, if left out. */
  list?: () => ProcessEntry[]
  pace?: ProcessWatchdogPace
}

export function startProcessWatchdog(dependencies: ProcessWatchdogDependencies): ProcessWatchdog {
  const { logger, list = listProcesses, pace = usualPace } = dependencies
  const judge = makeJudge({ ...dependencies, list })
  let snapshots: Snapshot[] = []
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let wasFull = false
  let fullMs = 0
  let lastAt = performance.now()

  const act = async (look: Look, limit: number) => {
    const before = snapshots.reduce((least, snapshot) => (snapshot.held < least.held ? snapshot : least))
    const candidates = look.users.map((entry) => ({ ...entry, mark: startVariable(entry.pid, runVariable) }))
    const offender = findOffender(candidates, { before, limit })
    if (offender === undefined || fullMs < (offender.isMultiplying ? pace.multiplyingMs : pace.fillingMs)) return
    if (!(await judge(offender, limit))) return
    fullMs = 0
    wasFull = false
  }
  let looks = 0
  const look = async (limit: number) => {
    looks += 1
    if (fullMs === 0 && countProcesses() < limit * fewShare && looks % looksPerReading !== 1) return false
    const found = lookAt(list())
    const now = performance.now()
    // Most of a long pause may have been spent asleep, or ending something.
    const passedMs = Math.min(now - lastAt, pace.calmMs)
    lastAt = now
    // What comes and goes at the limit leaves gaps, which count against it twice.
    const isNowFull = isFull(found, limit)
    if (isNowFull && wasFull) fullMs += passedMs
    if (!isNowFull) fullMs = Math.max(0, fullMs - 2 * passedMs)
    wasFull = isNowFull
    snapshots = [...snapshots, found.snapshot].slice(-snapshotsKept)
    if (fullMs >= pace.multiplyingMs) await act(found, limit)
    return found.snapshot.held >= limit * watchShare
  }
  const next = async () => {
    const startedAt = performance.now()
    const limit = dependencies.limit()
    let isNear = false
    try {
      isNear = limit !== undefined && (await look(limit))
    } catch (error) {
      logger.error({ err: error }, 'processes could not be looked at')
    }
    if (isStopped) return
    const restMs = restFactor * (performance.now() - startedAt)
    timer = setTimeout(() => void next(), Math.max(isNear ? pace.alertMs : pace.calmMs, restMs))
  }
  timer = setTimeout(() => void next(), pace.calmMs)
  return {
    isFull: () => wasFull || fullMs > 0,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

/** Ends an offender. Resolves with false when nothing of it may be ended. */
function makeJudge(
  dependencies: Pick<ProcessWatchdogDependencies, 'verdicts' | 'isCommandShell' | 'logger'> & {
    list: () => ProcessEntry[]
  },
): (offender: Offender, limit: number) => Promise<boolean> {
  const { verdicts, isCommandShell, logger, list } = dependencies
  let earlier: { offender: Offender; at: number }[] = []
  return async (offender, limit) => {
    const at = performance.now()
    const isRepeated = earlier.some((one) => at - one.at < repeatMs && isSame(one.offender, offender))
    const victims = isRepeated ? [...offender.members] : victimsOf(offender, isCommandShell)
    if (victims.length === 0) return false
    earlier = [...earlier, { offender, at }].slice(-offendersKept)
    const verdict = verdictOn(offender, { victims, limit, at })
    // Before the first signal, so that the run that ends by it finds out why.
    verdicts.add(verdict)
    logger.warn({ processes: victims.length, sessions: [...offender.sessions], isRepeated }, verdict.words)
    const isGone = await killAll(makeFinder({ offender, victims, list }))
    if (!isGone) logger.error({ sessions: [...offender.sessions] }, 'some processes could not be ended')
    return true
  }
}

/** Finds what is alive of the victims, and whatever they, or others of the offender, have started since. */
function makeFinder(options: {
  offender: Offender
  victims: Candidate[]
  list: () => ProcessEntry[]
}): () => ProcessEntry[] {
  const { offender, list } = options
  const known = new Set(options.victims.map(identityOf))
  const spared = new Set(offender.members.map(identityOf)).difference(known)
  return () => {
    const processes = list()
    const own = guestProcesses(processes)
    const candidates = processes.filter((entry) => !own.has(entry.pid) && !spared.has(identityOf(entry)))
    const pids = new Set(candidates.filter((entry) => known.has(identityOf(entry))).map(({ pid }) => pid))
    for (let before = -1; before !== pids.size; ) {
      before = pids.size
      for (const entry of candidates) {
        if (pids.has(entry.pid)) continue
        const isNew = entry.startTicks >= offender.sinceTicks
        const isKin = pids.has(entry.parent) || (isNew && offender.sessions.has(entry.session))
        if (isKin || (isNew && carriesMark(entry, offender))) pids.add(entry.pid)
      }
    }
    const found = candidates.filter((entry) => pids.has(entry.pid))
    for (const entry of found) known.add(identityOf(entry))
    return found.filter((entry) => !isZombie(entry))
  }
}

function carriesMark(entry: ProcessEntry, offender: Offender): boolean {
  if (offender.marks.size === 0) return false
  const mark = startVariable(entry.pid, runVariable)
  return mark !== undefined && offender.marks.has(mark)
}

/** A pid may be used again, but not for a process that began at the same time. */
function identityOf({ pid, startTicks }: ProcessEntry): string {
  return `${pid}/${startTicks}`
}

function isSame(left: Offender, right: Offender): boolean {
  return !left.sessions.isDisjointFrom(right.sessions) || !left.marks.isDisjointFrom(right.marks)
}

function verdictOn(offender: Offender, judged: { victims: Candidate[]; limit: number; at: number }): Verdict {
  const { victims, limit, at } = judged
  const threads = victims.reduce((sum, victim) => sum + victim.threads, 0)
  const names = [...Map.groupBy(victims, (victim) => victim.name)]
    .sort((left, right) => right[1].length - left[1].length)
    .map(([name, named]) => `${named.length} × ${name}`)
  const what = victims.length === 1 ? '1 process' : `${victims.length} processes`
  const withThreads = threads === victims.length ? '' : ` with ${threads} threads`
  const more = names.length > namesTold ? ', …' : ''
  return {
    cause: runs.EndCause.OUT_OF_PROCESSES,
    words: `Ended: ${what}${withThreads} (${names.slice(0, namesTold).join(', ')}${more}). The sandbox was at its limit of ${limit} processes and threads, so nothing else could be started.`,
    at,
    pids: new Set(victims.map(({ pid }) => pid)),
    marks: offender.marks,
    sessions: offender.sessions,
    ancestors: new Set(victims.map(({ parent }) => parent)),
  }
}
