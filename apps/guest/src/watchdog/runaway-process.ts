import type { ProcessEntry } from '../processes/process-table.ts'

/** A user process, as seen by the search for a runaway program. */
export type Candidate = ProcessEntry & {
  /** Key of the execution that started it, if it has a mark. */
  mark: string | undefined
}

/** Processes that existed at an earlier check. */
export type Snapshot = {
  /** Start time that a process starting now would have. */
  ticks: number
  /** Processes and threads that counted against the limit. */
  held: number
  heldBySession: ReadonlyMap<number, number>
}

/** Programs that belong together, by descent, session or mark, and that hold more of the limit than any others. */
export type Runaway = {
  members: readonly Candidate[]
  sessions: ReadonlySet<number>
  marks: ReadonlySet<string>
  /** Processes and threads. */
  held: number
  /** True if it has hidden which execution it came from. */
  isUntraceable: boolean
  /** True if forked processes have forked in turn, over and over, which only ends at a limit. */
  isForking: boolean
  /** Start time from which it has grown. */
  sinceTicks: number
  /** Start time that matches the moment at which it was found. */
  foundTicks: number
}

/** A group below this share of the limit is not to blame. */
const leastShare = 0.25
/** Above this share, growth decides which group is the runaway; below it, size. */
const growthShare = 0.1
/** Share of new processes whose parents are also new, or gone, above which they count as multiplying. */
const multiplyingShare = 0.25

/**
 * Finds what has filled the sandbox: the programs that have grown most since `before`; if none has, those that hold
 * most. A program that was large before and has not grown is not to blame for the process that could not start.
 */
export function findRunaway(
  candidates: readonly Candidate[],
  context: { before: Snapshot; limit: number; nowTicks: number },
): Runaway | undefined {
  const { before, limit } = context
  const groups = groupsOf(candidates, before).map((members) => {
    const sessions = new Set(members.map(({ session }) => session))
    const held = members.reduce((sum, { threads }) => sum + threads, 0)
    const heldBefore = [...sessions].reduce((sum, session) => sum + (before.heldBySession.get(session) ?? 0), 0)
    return { members, sessions, held, growth: held - heldBefore }
  })
  const hasGrown = groups.some(({ growth }) => growth >= limit * growthShare)
  const [largest] = groups
    .filter(({ held }) => held >= limit * leastShare)
    .sort((left, right) => (hasGrown ? right.growth - left.growth : right.held - left.held))
  if (largest === undefined) return undefined
  return {
    members: largest.members,
    sessions: largest.sessions,
    marks: new Set(largest.members.flatMap(({ mark }) => mark ?? [])),
    held: largest.held,
    isUntraceable: isUntraceable(largest.members, before),
    isForking: isForking(largest.members, before.ticks),
    sinceTicks: before.ticks,
    foundTicks: context.nowTicks,
  }
}

/**
 * Chooses the runaway's processes to end: new ones, what has forked them, and the shell of a command. Earlier
 * processes are spared, such as a server that the same command started, or the kernel or terminal that the program was
 * started from.
 */
export function victimsOf(runaway: Runaway, isCommandShell: (pid: number) => boolean): Candidate[] {
  const { members, sinceTicks } = runaway
  const fresh = members.filter(({ startTicks }) => startTicks > sinceTicks)
  // Nothing has grown: no part of it is more to blame than another.
  if (fresh.length === 0) return members.filter(({ pid, session }) => pid !== session || isCommandShell(pid))
  const forkers = new Set(fresh.map(({ parent }) => parent))
  const sessions = new Set(fresh.map(({ session }) => session))
  return members.filter(({ pid, session, startTicks }) => {
    if (startTicks > sinceTicks) return true
    if (pid === session) return sessions.has(pid) && isCommandShell(pid)
    return forkers.has(pid)
  })
}

function isForking(members: readonly Candidate[], sinceTicks: number): boolean {
  const fresh = members.filter(({ startTicks }) => startTicks > sinceTicks)
  const pids = new Set(fresh.map(({ pid }) => pid))
  const forkers = new Set(fresh.map(({ parent }) => parent).filter((parent) => pids.has(parent)))
  const orphans = fresh.filter(({ parent }) => parent <= 1)
  return fresh.length > 0 && forkers.size + orphans.length >= fresh.length * multiplyingShare
}

/** New, without a parent and without a mark: its origin was hidden on purpose. */
function isStray({ parent, mark, startTicks }: Candidate, before: Snapshot): boolean {
  return parent <= 1 && mark === undefined && startTicks > before.ticks
}

function hasMark({ mark }: Candidate): boolean {
  return mark !== undefined
}

/** Tells whether strays have also left the session of their execution. */
function isUntraceable(members: readonly Candidate[], before: Snapshot): boolean {
  return members.some((member) => isStray(member, before) && member.session === member.pid) && !members.some(hasMark)
}

/** Sets of processes that are connected by descent, session or mark. */
function groupsOf(candidates: readonly Candidate[], before: Snapshot): Candidate[][] {
  const joined = new Map<string, string>()
  const rootOf = (key: string): string => {
    const above = joined.get(key)
    if (above === undefined) return key
    const root = rootOf(above)
    joined.set(key, root)
    return root
  }
  const join = (left: string, right: string) => {
    const [one, other] = [rootOf(left), rootOf(right)]
    if (one !== other) joined.set(one, other)
  }
  const pids = new Set(candidates.map(({ pid }) => pid))
  for (const candidate of candidates) {
    const { pid, parent, session, mark } = candidate
    join(`process ${pid}`, `session ${session}`)
    if (pids.has(parent)) join(`process ${pid}`, `process ${parent}`)
    if (mark !== undefined) join(`process ${pid}`, `mark ${mark}`)
    if (isStray(candidate, before)) join(`process ${pid}`, 'strays')
  }
  const groups = Map.groupBy(candidates, ({ pid }) => rootOf(`process ${pid}`))
  return [...groups.values()]
}
