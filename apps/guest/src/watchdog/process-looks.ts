import { readFileSync } from 'node:fs'
import { guestProcesses } from '../processes/activity.ts'
import { type ProcessEntry, realUser } from '../processes/process-table.ts'
import type { Snapshot } from './runaway-process.ts'

const ticksPerSecond = 100
/** Share of the limit above which it is worth finding out which user each process belongs to. */
const nearShare = 0.85
/**
 * Programs that are just being launched, or that run through sudo, can count for another user here than in the system.
 */
const uncertainShare = 1 / 64

/** All processes at one moment. */
export type ProcessReading = {
  processes: ProcessEntry[]
  /** The guest's. */
  own: ReadonlySet<number>
  /** Of users; an ended process that was not waited for still counts. */
  users: ProcessEntry[]
  snapshot: Snapshot
}

export function readProcesses(list: () => ProcessEntry[]): ProcessReading {
  // What starts while the others are being read is not listed, and so has to count as new.
  const ticks = uptimeTicks()
  const processes = list()
  const own = guestProcesses(processes)
  const users = processes
    .filter(({ pid }) => !own.has(pid))
    .map((entry) => ({ ...entry, threads: Math.max(1, entry.threads) }))
  const heldBySession = new Map<number, number>()
  for (const { session, threads } of users) heldBySession.set(session, (heldBySession.get(session) ?? 0) + threads)
  const held = users.reduce((sum, { threads }) => sum + threads, 0)
  return { processes, own, users, snapshot: { ticks, held, heldBySession } }
}

/** Tells whether some user cannot start anything. A user just below the limit is not full. */
export function isFull(reading: ProcessReading, limit: number): boolean {
  const counted = reading.processes.reduce((sum, { threads }) => sum + threads, 0)
  if (counted < limit * nearShare) return false
  const least = leastOfFull(limit)
  return [...heldByUser(reading.processes).values()].some((held) => held >= least)
}

/** The number of processes and threads that fills a sandbox if all belong to one user. */
export function leastOfFull(limit: number): number {
  return limit - Math.max(1, Math.floor(limit * uncertainShare))
}

/**
 * Counts as the system does: every thread, also of ended processes that were not waited for; the first thread counts
 * for the user who made the process. So what the guest launches for a user counts for root, as does the guest itself.
 */
function heldByUser(processes: ProcessEntry[]): Map<number, number> {
  const userOf = new Map(processes.map(({ pid }) => [pid, realUser(pid)]))
  const held = new Map<number, number>()
  const count = (user: number | undefined, threads: number) => {
    if (user !== undefined) held.set(user, (held.get(user) ?? 0) + threads)
  }
  for (const { pid, parent, threads } of processes) {
    const user = userOf.get(pid)
    count(user, Math.max(1, threads) - 1)
    count(parent <= 1 ? user : (userOf.get(parent) ?? user), 1)
  }
  return held
}

function uptimeTicks(): number {
  return Math.floor(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * ticksPerSecond)
}
