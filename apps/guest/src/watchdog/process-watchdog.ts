import { runVariable } from '../processes/process-family.ts'
import { countProcesses, listProcesses, type ProcessEntry, startVariable } from '../processes/process-table.ts'
import { type JudgeDependencies, makeJudge } from './process-judge.ts'
import { isFull, type Look, lookAt } from './process-looks.ts'
import { findOffender, type Offender, type Snapshot } from './process-offender.ts'

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
/** Looking must leave the guest time for everything else: the pause after it is this much longer. */
const restFactor = 3

/** Ends what fills the sandbox with processes and keeps it full, so that everything else can start its own again. */
export type ProcessWatchdog = {
  /** Whether nothing can be started at this moment, or what is to blame for that is being ended. */
  isFull(): boolean
  stop(): void
}

export type ProcessWatchdogDependencies = Omit<JudgeDependencies, 'list'> & {
  /** How many processes and threads there may be. Undefined until the host has said. */
  limit: () => number | undefined
  /** Everything that is looked at; the whole sandbox, if left out. */
  list?: () => ProcessEntry[]
  pace?: ProcessWatchdogPace
}

export function startProcessWatchdog(dependencies: ProcessWatchdogDependencies): ProcessWatchdog {
  const { logger, list = listProcesses, pace = usualPace } = dependencies
  const limitNow = dependencies.limit
  const watch = makeWatch({ ...dependencies, list, pace })
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
    timer = setTimeout(() => void next(), Math.max(pace.lookMs, restFactor * (performance.now() - startedAt)))
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

function makeWatch(
  dependencies: ProcessWatchdogDependencies & { list: () => ProcessEntry[]; pace: ProcessWatchdogPace },
): { look(limit: number): Promise<void>; isFull(): boolean } {
  const { list, pace } = dependencies
  const judge = makeJudge({ ...dependencies, list })
  let snapshots: Snapshot[] = []
  let looks = 0
  let wasFull = false
  let fullMs = 0
  let lastAt = performance.now()

  const note = (found: Look, limit: number) => {
    const now = performance.now()
    const passedMs = Math.min(now - lastAt, longestLookMs)
    lastAt = now
    // What comes and goes at the limit leaves gaps, which count against it twice.
    const isNowFull = isFull(found, limit)
    if (isNowFull && wasFull) fullMs += passedMs
    if (!isNowFull) fullMs = Math.max(0, fullMs - 2 * passedMs)
    wasFull = isNowFull
    snapshots = [...snapshots, found.snapshot].slice(-snapshotsKept)
  }
  const act = async (found: Look, limit: number) => {
    const offender = offenderIn(found, { snapshots, limit })
    if (offender === undefined || fullMs < (offender.isMultiplying ? pace.multiplyingMs : pace.fillingMs)) return
    if (!(await judge(offender, limit))) return
    fullMs = 0
    wasFull = false
  }
  const look = async (limit: number) => {
    looks += 1
    const isCalm = !wasFull && fullMs === 0
    if (isCalm && countProcesses() < limit * fewShare && looks % looksPerReading !== 1) return
    const found = lookAt(list())
    note(found, limit)
    if (fullMs >= pace.multiplyingMs) await act(found, limit)
  }
  return { look, isFull: () => wasFull || fullMs > 0 }
}

function offenderIn(look: Look, known: { snapshots: Snapshot[]; limit: number }): Offender | undefined {
  const { snapshots, limit } = known
  const before = snapshots.reduce((least, snapshot) => (snapshot.held < least.held ? snapshot : least), look.snapshot)
  const candidates = look.users.map((entry) => ({ ...entry, mark: startVariable(entry.pid, runVariable) }))
  return findOffender(candidates, { before, limit, nowTicks: look.snapshot.ticks })
}
