import { setTimeout as delay } from 'node:timers/promises'
import { isZombie, listProcesses, type ProcessEntry, readInitialVariable } from './process-table.ts'

/** Environment variable that marks a process as part of an execution, however it was detached. */
export const runVariable = 'THREADBOX_RUN'

/** All processes that came from one command: by descent, by session, or by the mark in its environment. */
export type ProcessFamily = {
  /** Pid of the first process, which leads its own session. */
  root: number
  /** Value of {@link runVariable} that marks the family; undefined without a mark. */
  mark: string | undefined
}

/** Living members of a family, without those that were started by an earlier family with another mark. */
export function membersOf(family: ProcessFamily, processes = listProcesses()): ProcessEntry[] {
  const sessions = new Set([family.root])
  const members = new Map<number, ProcessEntry>()
  const isMember = (process: ProcessEntry) =>
    process.pid === family.root || sessions.has(process.session) || members.has(process.parent)
  const candidates = processes.filter(
    (process) => process.pid > 1 && !isZombie(process) && process.pid !== globalThis.process.pid,
  )
  if (family.mark !== undefined) {
    for (const candidate of candidates) {
      if (readInitialVariable(candidate.pid, runVariable) === family.mark) members.set(candidate.pid, candidate)
    }
  }
  for (let before = -1; before !== members.size; ) {
    before = members.size
    for (const candidate of candidates) if (isMember(candidate)) members.set(candidate.pid, candidate)
  }
  return [...members.values()]
}

/** Time between SIGTERM and SIGKILL, as promised by `Stop`. */
const graceMs = 300
const pollMs = 20
/** A fork bomb creates members while others are being ended; each pass freezes what it finds, so few are needed. */
const killPasses = 100
/** A process that starts another and ends during a read leaves nothing to find in that pass. */
const quietPasses = 2

/**
 * Ends a family: SIGTERM, then SIGKILL for the rest. Resolves when no member is alive, or with false if some cannot be
 * ended (they wait in the kernel).
 */
export async function endFamily(family: ProcessFamily): Promise<boolean> {
  signalAll(membersOf(family), 'SIGTERM')
  // A stopped process would not get SIGTERM before it continues.
  signalAll(membersOf(family), 'SIGCONT')
  const deadline = performance.now() + graceMs
  while (performance.now() < deadline) {
    if (membersOf(family).length === 0) return true
    await delay(pollMs)
  }
  return await killFamily(family)
}

/** Ends a family with SIGKILL only. */
export function killFamily(family: ProcessFamily): Promise<boolean> {
  return killAll(() => membersOf(family))
}

/** Ends what `find` finds, until it finds nothing; false if some cannot be ended. */
export async function killAll(find: () => ProcessEntry[]): Promise<boolean> {
  let quiet = 0
  for (let pass = 0; pass < killPasses; pass += 1) {
    const members = find()
    quiet = members.length === 0 ? quiet + 1 : 0
    if (quiet >= quietPasses) return true
    signalAll(members, 'SIGSTOP')
    signalAll(find(), 'SIGKILL')
    await delay(pollMs / 2)
  }
  return find().length === 0
}

function signalAll(members: ProcessEntry[], signal: NodeJS.Signals) {
  for (const member of members) sendSignal(member.pid, signal)
}

/** Sends a signal; does nothing if the process has already ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
