import { sendSignal } from '../processes/process-family.ts'
import { isZombie, type ProcessEntry } from '../processes/process-table.ts'

/** What can be seen of the sandbox. */
export type View = {
  /** Cheap: what is there is not read. */
  pids(): number[]
  list(): ProcessEntry[]
}

/** All processes of users, stopped, so that nothing is started or ends while they are being judged. */
export type StillPicture = {
  processes: ProcessEntry[]
  /** Lets those go on that were not stopped before, but for the exceptions. */
  release(exceptions?: ReadonlySet<number>): void
}

/** A process that is starting another one stops when that one is there, which is then found by the next pass. */
const quietPasses = 2
const passes = 50
const betweenPassesMs = 2
/** What waits in the kernel cannot be stopped. */
const readings = 3
const stoppedStates = ['T', 't']

/**
 * Stops everything but the guest's own processes. A sandbox full of programs that multiply leaves the guest hardly any
 * processor time, and reading one process takes many system calls; stopping it takes one, and gives the time back.
 */
export function takeStillPicture(
  view: View,
  known: { own: ReadonlySet<number>; earlier: readonly ProcessEntry[] },
): StillPicture {
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
    // Those that were started last first: a shell that goes on must not see its job stopped.
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

/** Nothing else of the guest may happen meanwhile: it would find its programs stopped. */
function sleep(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
