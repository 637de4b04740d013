import type { ProcessEntry } from '../processes/process-table.ts'

/** A process of the user, as the choice of an offender sees it. */
export type Candidate = ProcessEntry & {
  /** Key of the run that it was started by, when it carries one. */
  mark: string | undefined
}

/** What was there at an earlier look. */
export type Snapshot = {
  /** Start time that a process begun now would have. */
  ticks: number
  /** Processes and threads that counted against the limit. */
  held: number
  heldBySession: ReadonlyMap<number, number>
}

/** Programs that belong together, by descent, session or mark, and that hold more of the limit than any others. */
export type Offender = {
  members: readonly Candidate[]
  sessions: ReadonlySet<number>
  marks: ReadonlySet<string>
  /** Processes and threads. */
  held: number
  /** Whether it has hidden which run it came from. */
  isUntraceable: boolean
  /** Whether what was forked has forked in turn, over and over, which only ends at a limit. */
  isMultiplying: boolean
  /** Since when it has grown, as a start time. */
  sinceTicks: number
  /** When it was found, as a start time. */
  foundTicks: number
}

/** Less than this share of what may be held is nobody's fault. */
const leastShare = 0.25
/** From this share on, growing is what tells an offender; otherwise what is held. */
const growthShare = 0.1
/** Share of new processes whose parents are new too, or gone, from which on they multiply. */
const multiplyingShare = 0.25

/**
 * Who has filled the sandbox: the programs that have grown most since `before`; when none has, those that hold most.
 * What was large before and has not grown is not to blame for the last process that found no room.
 */
export function findOffender(
  candidates: readonly Candidate[],
  context: { before: Snapshot; limit: number; nowTicks: number },
): Offender | undefined {
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
    isMultiplying: isMultiplying(largest.members, before.ticks),
    sinceTicks: before.ticks,
    foundTicks: context.nowTicks,
  }
}

/**
 * Which of the offender's processes are to go: what is new, what has forked it, and the shell of a command. What was
 * there before, such as a server that the same command started, or the kernel or terminal that the program was started
 * from, is spared.
 */
export function victimsOf(offender: Offender, isCommandShell: (pid: number) => boolean): Candidate[] {
  const { members, sinceTicks } = offender
  const fresh = members.filter(({ startTicks }) => startTicks > sinceTicks)
  // Nothing has grown: there is no part of it that is more to blame than another.
  if (fresh.length === 0) return members.filter(({ pid, session }) => pid !== session || isCommandShell(pid))
  const forkers = new Set(fresh.map(({ parent }) => parent))
  const sessions = new Set(fresh.map(({ session }) => session))
  return members.filter(({ pid, session, startTicks }) => {
    if (startTicks > sinceTicks) return true
    if (pid === session) return sessions.has(pid) && isCommandShell(pid)
    return forkers.has(pid)
  })
}

function isMultiplying(members: readonly Candidate[], sinceTicks: number): boolean {
  const fresh = members.filter(({ startTicks }) => startTicks > sinceTicks)
  const pids = new Set(fresh.map(({ pid }) => pid))
  const forkers = new Set(fresh.map(({ parent }) => parent).filter((parent) => pids.has(parent)))
  const orphans = fresh.filter(({ parent }) => parent <= 1)
  return fresh.length > 0 && forkers.size + orphans.length >= fresh.length * multiplyingShare
}

/** New, without a parent and without a mark: whoever made it has covered all tracks. */
function isStray({ parent, mark, startTicks }: Candidate, before: Snapshot): boolean {
  return parent <= 1 && mark === undefined && startTicks > before.ticks
}

function hasMark({ mark }: Candidate): boolean {
  return mark !== undefined
}

/** Strays that have left the session of their run too. */
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
