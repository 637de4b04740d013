import { runVariable } from '../processes/process-family.ts'
import { listPids, listProcesses, type ProcessEntry, startVariable } from '../processes/process-table.ts'
import { type JudgeDependencies, makeJudge } from './process-judge.ts'
import { isFull, type Look, leastOfFull, lookAt } from './process-looks.ts'
import { findOffender, type Offender, type Snapshot } from './process-offender.ts'
import { type StillPicture, takeStillPicture, type View } from './still-picture.ts'

/** Milliseconds. */
export type ProcessWatchdogPace = {
  /** Between checks. */
  lookMs: number
  /** How long the sandbox has to be full before programs that multiply are ended. */
  multiplyingMs: number
  /** The same for programs that do not: a slightly too wide build can have finished by then. */
  fillingMs: number
}
const usualPace: ProcessWatchdogPace = { lookMs: 250, multiplyingMs: 2_000, fillingMs: 20_000 }

/** A check that took long, or was late, counts for at most this: most of it may have been spent asleep. */
const longestLookMs = 1_000
/** The last checks; the one with the fewest processes shows what existed before. */
const snapshotsKept = 600
/** Reading every process takes half a millisecond for each; counting them takes that once. */
const fewShare = 0.25
/** Threads show only when processes are read, so that happens at least every five seconds. */
const looksPerReading = 20
/**
 * Checks must leave processor time for the guest and for everything stopped during a check: the pause is this much
 * longer than the check.
 */
const restFactor = 3
/** Under a fork bomb, checks take long because of the bomb. */
const longestRestMs = 600
/** Processes that are not to be ended yet are frozen again after twice this time, then after twice that, … */
const shortestStillPauseMs = 125
const longestStillPauseMs = 4_000

const wholeSandbox: View = { pids: listPids, list: listProcesses }

/** Ends what fills the sandbox with processes and keeps it full, so that all other programs can start theirs again. */
export type ProcessWatchdog = {
  /** True while nothing, or hardly anything, can be started, or while the offender is being ended. */
  isFull(): boolean
  stop(): void
}

export type ProcessWatchdogDependencies = Omit<JudgeDependencies, 'view'> & {
  /** Limit of processes and threads. Undefined until the host has reported it. */
  limit: () => number | undefined
  /** What is read; the whole sandbox, if absent. */
  view?: View
  pace?: ProcessWatchdogPace
}

export function startProcessWatchdog(dependencies: ProcessWatchdogDependencies): ProcessWatchdog {
  const { logger, view = wholeSandbox, pace = usualPace } = dependencies
  const limitNow = dependencies.limit
  const watch = makeWatch({ ...dependencies, view, pace })
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const next = async () => {
    const startedAt = performance.now()
    try {
      const limit = limitNow()
      if (limit !== undefined) await watch.look(limit)
    } catch (error) {
      logger.error({ err: error }, 'processes could not be checked')
    }
    if (isStopped) return
    timer = setTimeout(() => void next(), pauseAfter(performance.now() - startedAt, pace))
  }
  timer = setTimeout(() => void next(), pace.lookMs)
  return {
    isFull: watch.isFull,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

function pauseAfter(tookMs: number, pace: ProcessWatchdogPace): number {
  return Math.max(pace.lookMs, Math.min(restFactor * tookMs, longestRestMs))
}

function makeWatch(dependencies: ProcessWatchdogDependencies & { view: View; pace: ProcessWatchdogPace }): {
  look(limit: number): Promise<void>
  isFull(): boolean
} {
  const { view, pace } = dependencies
  const judge = makeJudge(dependencies)
  let snapshots: Snapshot[] = []
  let looks = 0
  let wasFull = false
  let fullMs = 0
  let lastAt = performance.now()
  let stillAgainAt = 0
  let stillPauseMs = shortestStillPauseMs
  let isCrowded = false
  let own: ReadonlySet<number> = new Set([1, process.pid])
  /** Read while nothing was frozen. */
  let earlier: ProcessEntry[] = []

  const note = (isNowFull: boolean) => {
    const now = performance.now()
    const passedMs = Math.min(now - lastAt, longestLookMs)
    lastAt = now
    // Short-lived processes at the limit leave gaps, which subtract twice.
    if (isNowFull && wasFull) fullMs += passedMs
    if (!isNowFull) fullMs = Math.max(0, fullMs - 2 * passedMs)
    wasFull = isNowFull
  }
  const act = async (found: Look, options: { limit: number; picture: StillPicture }) => {
    const offender = offenderIn(found, { snapshots, limit: options.limit })
    if (offender === undefined || fullMs < (offender.isMultiplying ? pace.multiplyingMs : pace.fillingMs)) return
    if (!(await judge(offender, options))) return
    fullMs = 0
    wasFull = false
    isCrowded = false
  }
  const lookStill = async (limit: number) => {
    const picture = takeStillPicture(view, { own, earlier })
    try {
      const found = lookAt(() => picture.processes)
      stillPauseMs = Math.min(2 * stillPauseMs, longestStillPauseMs)
      stillAgainAt = performance.now() + stillPauseMs
      if (isFull(found, limit)) await act(found, { limit, picture })
      // Just below the limit, or some have just ended.
      else fullMs = Math.min(fullMs, pace.multiplyingMs / 2)
    } finally {
      picture.release()
    }
  }
  const look = async (limit: number) => {
    looks += 1
    const isCalm = !wasFull && fullMs === 0
    const count = view.pids().length
    isCrowded = count >= leastOfFull(limit)
    if (isCrowded) note(true)
    else {
      if (isCalm && count < limit * fewShare && looks % looksPerReading !== 1) return
      const found = lookAt(view.list)
      own = found.own
      earlier = found.processes
      snapshots = [...snapshots, found.snapshot].slice(-snapshotsKept)
      note(isFull(found, limit))
    }
    if (!wasFull) stillPauseMs = shortestStillPauseMs
    if (fullMs >= pace.multiplyingMs && performance.now() >= stillAgainAt) await lookStill(limit)
  }
  return { look, isFull: () => wasFull || fullMs > 0 || isCrowded }
}

function offenderIn(look: Look, known: { snapshots: Snapshot[]; limit: number }): Offender | undefined {
  const { snapshots, limit } = known
  const before = snapshots.reduce((least, snapshot) => (snapshot.held < least.held ? snapshot : least), look.snapshot)
  const candidates = look.users.map((entry) => ({ ...entry, mark: startVariable(entry.pid, runVariable) }))
  return findOffender(candidates, { before, limit, nowTicks: look.snapshot.ticks })
}
