import { runVariable } from '../processes/process-family.ts'
import { listPids, listProcesses, type ProcessEntry, startVariable } from '../processes/process-table.ts'
import { type JudgeDependencies, makeJudge } from './process-judge.ts'
import { isFull, type Look, leastOfFull, lookAt } from './process-looks.ts'
import { findOffender, type Offender, type Snapshot } from './process-offender.ts'
import { type StillPicture, takeStillPicture, type View } from './still-picture.ts'

/** Milliseconds. */
export type ProcessWatchdogPace = {
  /** Between looks. */
  lookMs: number
  /** How long the sandbox has to be full before programs that multiply are ended. */
  multiplyingMs: number
  /** The same for programs that do not: a build that is a little too wide may be through by then. */
  fillingMs: number
}
const usualPace: ProcessWatchdogPace = { lookMs: 250, multiplyingMs: 2_000, fillingMs: 20_000 }

/** A look that took long, or was late, does not count for more than this: most of it may have been spent asleep. */
const longestLookMs = 1_000
/** The emptiest of the last looks tells what there was before. */
const snapshotsKept = 600
/** Reading every process takes half a millisecond for each; counting them takes that once. */
const fewShare = 0.25
/** Threads show only when processes are read, so that is done every five seconds at least. */
const looksPerReading = 20
/** Looking must leave the guest, and what is stopped meanwhile, time for everything else: the pause is this much longer. */
const restFactor = 3
/** Under a fork bomb looking takes long because of the bomb. */
const longestRestMs = 600
/** What is not to be ended yet is stopped for a picture again after twice this time, then after twice that, … */
const shortestStillPauseMs = 125
const longestStillPauseMs = 4_000

const wholeSandbox: View = { pids: listPids, list: listProcesses }

/** Ends what fills the sandbox with processes and keeps it full, so that everything else can start its own again. */
export type ProcessWatchdog = {
  /** Whether nothing, or hardly anything, can be started at this moment, or what is to blame for that is being ended. */
  isFull(): boolean
  stop(): void
}

export type ProcessWatchdogDependencies = Omit<JudgeDependencies, 'view'> & {
  /** How many processes and threads there may be. Undefined until the host has said. */
  limit: () => number | undefined
  /** What is looked at; the whole sandbox, if left out. */
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
      logger.error({ err: error }, 'processes could not be looked at')
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
  /** Seen while nothing was stopped for a picture. */
  let earlier: ProcessEntry[] = []

  const note = (isNowFull: boolean) => {
    const now = performance.now()
    const passedMs = Math.min(now - lastAt, longestLookMs)
    lastAt = now
    // What comes and goes at the limit leaves gaps, which count against it twice.
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
      // Just below the limit, or some have ended in this moment.
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
