import { readFileSync } from 'node:fs'
import { guestProcesses } from '../processes/activity.ts'
import { type ProcessEntry, realUser } from '../processes/process-table.ts'
import type { Snapshot } from './process-offender.ts'

const ticksPerSecond = 100
/** Share of the limit from which on it is worth asking whose each process is. */
const nearShare = 0.85
/** Programs launched in this moment, or through sudo, may be counted for another user than the system counts them for. */
const uncertainShare = 1 / 64

/** All processes of one moment. */
export type Look = {
  processes: ProcessEntry[]
  /** The guest's. */
  own: ReadonlySet<number>
  /** Of users; what has ended and was not waited for still counts. */
  users: ProcessEntry[]
  snapshot: Snapshot
}

export function lookAt(list: () => ProcessEntry[]): Look {
  // What begins while the others are being read is not known, and so has to count as new.
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

/** Whether some user cannot start anything any more. A user who is just below the limit is not full. */
export function isFull(look: Look, limit: number): boolean {
  const counted = look.processes.reduce((sum, { threads }) => sum + threads, 0)
  if (counted < limit * nearShare) return false
  const least = leastOfFull(limit)
  return [...heldByUser(look.processes).values()].some((held) => held >= least)
}

/** So many processes and threads fill a sandbox, if they are all of one user. */
export function leastOfFull(limit: number): number {
  return limit - Math.max(1, Math.floor(limit * uncertainShare))
}

/**
 * As the system counts: every thread, also what has ended and was not waited for; the first thread for the user who made
 * the process. So what the guest launches for a user counts for root, as does the guest itself.
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
