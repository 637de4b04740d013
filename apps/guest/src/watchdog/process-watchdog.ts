import { runVariable } from '../processes/process-family.ts'
import { listPids, listProcesses, type ProcessEntry, readInitialVariable } from '../processes/process-table.ts'
import { type Calm, calmCheckMs } from './calm.ts'
import { type FrozenProcesses, freezeProcesses, type View } from './frozen-processes.ts'
import { type EndRunawayDependencies, makeEndRunaway } from './process-judge.ts'
import { isFull, leastOfFull, type ProcessReading, readProcesses } from './process-looks.ts'
import { findRunaway, type Runaway, type Snapshot } from './runaway-process.ts'

/** Milliseconds. */
export type ProcessWatchdogPace = {
  /** Between checks. */
  checkMs: number
  /** How long the sandbox has to be full before programs that multiply are ended. */
  multiplyingMs: number
  /** The same for programs that do not: a slightly too wide build can have finished by then. */
  fillingMs: number
}
const usualPace: ProcessWatchdogPace = { checkMs: 250, multiplyingMs: 2_000, fillingMs: 20_000 }

/** A check that took long, or was late, counts for at most this: most of it may have been spent asleep. */
const longestCheckMs = 1_000
/** The last checks; the one with the fewest processes shows what existed before. */
const snapshotsKept = 600
/** Reading every process takes half a millisecond for each; counting them takes that once. */
const fewShare = 0.25
/** Threads show only when processes are read, so that happens at least every five seconds. */
const checksPerReading = 20
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
  /** True while nothing, or hardly anything, can be started, or while the runaway is being ended. */
  isFull(): boolean
  stop(): void
}

export type ProcessWatchdogDependencies = Omit<EndRunawayDependencies, 'view'> & {
  /** Limit of processes and threads. Undefined until the host has reported it. */
  limit: () => number | undefined
  /** What is read; the whole sandbox, if absent. */
  view?: View
  pace?: ProcessWatchdogPace
  calm: Pick<Calm, 'isCalm' | 'update' | 'onEnd'>
}

export function startProcessWatchdog(dependencies: ProcessWatchdogDependencies): ProcessWatchdog {
  const { logger, calm, view = wholeSandbox, pace = usualPace } = dependencies
  const limitNow = dependencies.limit
  const watch = makeWatch({ ...dependencies, view, pace })
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isChecking = false
  const waitFor = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void next(), ms)
  }
  const next = async () => {
    const startedAt = performance.now()
    isChecking = true
    try {
      const limit = limitNow()
      if (limit !== undefined) await watch.check(limit)
      await calm.update()
    } catch (error) {
      logger.error({ err: error }, 'processes could not be checked')
    }
    isChecking = false
    if (isStopped) return
    waitFor(calm.isCalm() ? calmCheckMs : pauseAfter(performance.now() - startedAt, pace))
  }
  waitFor(pace.checkMs)
  calm.onEnd(() => {
    if (!isStopped && !isChecking) waitFor(pace.checkMs)
  })
  return {
    isFull: watch.isFull,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
    },
  }
}

function pauseAfter(tookMs: number, pace: ProcessWatchdogPace): number {
  return Math.max(pace.checkMs, Math.min(restFactor * tookMs, longestRestMs))
}

function makeWatch(dependencies: ProcessWatchdogDependencies & { view: View; pace: ProcessWatchdogPace }): {
  check(limit: number): Promise<void>
  isFull(): boolean
} {
  const { view, pace } = dependencies
  const endRunaway = makeEndRunaway(dependencies)
  let snapshots: Snapshot[] = []
  let checks = 0
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
    const passedMs = Math.min(now - lastAt, longestCheckMs)
    lastAt = now
    // Short-lived processes at the limit leave gaps, which subtract twice.
    if (isNowFull && wasFull) fullMs += passedMs
    if (!isNowFull) fullMs = Math.max(0, fullMs - 2 * passedMs)
    wasFull = isNowFull
  }
  const act = async (found: ProcessReading, options: { limit: number; frozen: FrozenProcesses }) => {
    const runaway = runawayIn(found, { snapshots, limit: options.limit })
    if (runaway === undefined || fullMs < (runaway.isForking ? pace.multiplyingMs : pace.fillingMs)) return
    if (!(await endRunaway(runaway, options))) return
    fullMs = 0
    wasFull = false
    isCrowded = false
  }
  const checkFrozen = async (limit: number) => {
    const frozen = freezeProcesses(view, { own, earlier })
    try {
      const found = readProcesses(() => frozen.processes)
      stillPauseMs = Math.min(2 * stillPauseMs, longestStillPauseMs)
      stillAgainAt = performance.now() + stillPauseMs
      if (isFull(found, limit)) await act(found, { limit, frozen })
      // Just below the limit, or some have just ended.
      else fullMs = Math.min(fullMs, pace.multiplyingMs / 2)
    } finally {
      frozen.release()
    }
  }
  const check = async (limit: number) => {
    checks += 1
    const isCalm = !wasFull && fullMs === 0
    const count = view.pids().length
    isCrowded = count >= leastOfFull(limit)
    if (isCrowded) note(true)
    else {
      if (isCalm && count < limit * fewShare && checks % checksPerReading !== 1) return
      const found = readProcesses(view.list)
      own = found.own
      earlier = found.processes
      snapshots = [...snapshots, found.snapshot].slice(-snapshotsKept)
      note(isFull(found, limit))
    }
    if (!wasFull) stillPauseMs = shortestStillPauseMs
    if (fullMs >= pace.multiplyingMs && performance.now() >= stillAgainAt) await checkFrozen(limit)
  }
  return { check, isFull: () => wasFull || fullMs > 0 || isCrowded }
}

function runawayIn(reading: ProcessReading, known: { snapshots: Snapshot[]; limit: number }): Runaway | undefined {
  const { snapshots, limit } = known
  const before = snapshots.reduce(
    (least, snapshot) => (snapshot.held < least.held ? snapshot : least),
    reading.snapshot,
  )
  const candidates = reading.users.map((entry) => ({ ...entry, mark: readInitialVariable(entry.pid, runVariable) }))
  return findRunaway(candidates, { before, limit, nowTicks: reading.snapshot.ticks })
}
