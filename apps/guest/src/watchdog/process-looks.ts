import { readFileSync } from 'node:fs'
import { guestProcesses } from '../init/activity.ts'
import { isZombie, type ProcessEntry, realUser } from '../processes/process-table.ts'
import type { Snapshot } from './process-offender.ts'

const ticksPerSecond = 100
const root = 0
/** Share of the limit from which on it is worth asking whose each process is. */
const nearShare = 0.85
/** Programs launched in this moment, or through sudo, may be counted for another user than the system counts them for. */
const uncertainShare = 1 / 64

/** All processes of one moment. */
export type Look = {
  processes: ProcessEntry[]
  /** Of users, and alive. */
  users: ProcessEntry[]
  snapshot: Snapshot
}

export function lookAt(processes: ProcessEntry[]): Look {
  const own = guestProcesses(processes)
  const users = processes.filter((entry) => !own.has(entry.pid) && !isZombie(entry))
  const heldBySession = new Map<number, number>()
  for (const { session, threads } of users) heldBySession.set(session, (heldBySession.get(session) ?? 0) + threads)
  const held = users.reduce((sum, { threads }) => sum + threads, 0)
  return { processes, users, snapshot: { ticks: uptimeTicks(), held, heldBySession } }
}

/**
 * Whether some user cannot start anything any more. Root is never refused anything, so for root it means to be over the
 * limit. A user who is just below the limit is not full.
 */
export function isFull(look: Look, limit: number): boolean {
  const counted = look.processes.reduce((sum, { threads }) => sum + threads, 0)
  if (counted < limit * nearShare) return false
  return [...heldByUser(look.processes)].some(([user, held]) =>
    user === root ? held > limit : held >= limit - Math.max(1, Math.floor(limit * uncertainShare)),
  )
}

/**
 * As the system counts: every thread, also what has ended and was not waited for; the first thread for the user who made
 * the process. So what the guest launches for a user counts for root, as does the guest itself, which is left out.
 */
function heldByUser(processes: ProcessEntry[]): Map<number, number> {
  const own = guestProcesses(processes)
  const userOf = new Map(processes.map(({ pid }) => [pid, realUser(pid)]))
  const held = new Map<number, number>()
  const count = (user: number | undefined, threads: number) => {
    if (user !== undefined) held.set(user, (held.get(user) ?? 0) + threads)
  }
  for (const { pid, parent, threads } of processes) {
    const user = userOf.get(pid)
    if (own.has(pid) && user === userOf.get(process.pid)) continue
    count(user, threads - 1)
    if (parent !== process.pid) count(parent <= 1 ? user : (userOf.get(parent) ?? user), 1)
  }
  return held
}

function uptimeTicks(): number {
  return Math.floor(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * ticksPerSecond)
}
