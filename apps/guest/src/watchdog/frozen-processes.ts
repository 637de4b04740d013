import { sendSignal } from '../processes/process-family.ts'
import { isZombie, type ProcessEntry } from '../processes/process-table.ts'

/** Readable processes of the sandbox. */
export type View = {
  /** Cheap: lists processes without reading them. */
  pids(): number[]
  list(): ProcessEntry[]
}

/** All processes of users, stopped, so that none starts or ends while they are judged. */
export type FrozenProcesses = {
  processes: ProcessEntry[]
  /** Continues those that were not already stopped before, except the exceptions. */
  release(exceptions?: ReadonlySet<number>): void
}

/** A process that is starting another one stops once that one exists; the next pass then finds it. */
const quietPasses = 2
const passes = 50
const betweenPassesMs = 2
/** A process that waits in the kernel cannot be stopped. */
const readings = 3
const stoppedStates = ['T', 't']

/**
 * Stops everything but the guest's own processes. A sandbox full of programs that multiply leaves the guest hardly any
 * processor time. Reading a process takes many system calls; stopping it takes one, and frees its time.
 */
export function freezeProcesses(
  view: View,
  known: { own: ReadonlySet<number>; earlier: readonly ProcessEntry[] },
): FrozenProcesses {
  const stopped = new Set<number>()
  const stoppedByOthers = new Set(known.earlier.filter(isStopped).map(({ pid }) => pid))
  const stopNew = () => {
    const found = view.pids().filter((pid) => !stopped.has(pid) && !stoppedByOthers.has(pid) && !known.own.has(pid))
    for (const pid of found) {
      stopped.add(pid)
      sendSignal(pid, 'SIGSTOP')
    }
    return found.length
  }
  const stopAll = () => {
    for (let pass = 0, quiet = 0; pass < passes && quiet < quietPasses; pass += 1) {
      quiet = stopNew() === 0 ? quiet + 1 : 0
      sleep(betweenPassesMs)
    }
  }
  const release = (exceptions: ReadonlySet<number> = new Set()) => {
    // Last started first: a shell that continues must not see its job stopped.
    for (const pid of [...stopped.difference(exceptions)].sort((left, right) => right - left)) {
      sendSignal(pid, 'SIGCONT')
      stopped.delete(pid)
    }
  }
  try {
    stopAll()
    let processes = view.list()
    for (let reading = 1; reading < readings && processes.some(isMoving); reading += 1) {
      stopAll()
      processes = view.list()
    }
    return { processes, release }
  } catch (error) {
    release()
    throw error
  }

  function isMoving(entry: ProcessEntry): boolean {
    return !known.own.has(entry.pid) && !isZombie(entry) && !isStopped(entry)
  }
}

function isStopped({ state }: ProcessEntry): boolean {
  return stoppedStates.includes(state)
}

/** Blocks: any other work of the guest would find its programs stopped. */
function sleep(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
