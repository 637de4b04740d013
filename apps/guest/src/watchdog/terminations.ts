import type { runs } from '@threadbox/protocol/guest'
import type { ProcessFamily } from '../processes/process-family.ts'

const terminationsKept = 100

/** A record of a program that was ended because the sandbox was at a limit. */
export type Termination = {
  cause: runs.EndCause.OUT_OF_MEMORY | runs.EndCause.OUT_OF_PROCESSES
  /** Which program, how much of what, and which limit. */
  message: string
  /** Milliseconds of `performance.now()`. */
  at: number
  pids: ReadonlySet<number>
  /** Keys of the executions that its processes belonged to, from the mark in their environment. */
  marks: ReadonlySet<string>
  sessions: ReadonlySet<number>
  ancestors: ReadonlySet<number>
  /** The origin is unknown, so everything that was running gets the report. */
  isUntraceable?: boolean
}

export type Terminations = {
  add(termination: Termination): void
  /** Returns what was ended of this family since then, or undefined. Returns each record once. */
  take(family: ProcessFamily, since: number): Termination | undefined
}

export function makeTerminations(): Terminations {
  const terminations: Termination[] = []
  return {
    add: (termination) => {
      terminations.push(termination)
      terminations.splice(0, terminations.length - terminationsKept)
    },
    take: (family, since) => {
      const index = terminations.findIndex(
        (termination) => termination.at >= since && (termination.isUntraceable || isTerminationOf(termination, family)),
      )
      return index < 0 ? undefined : terminations.splice(index, 1)[0]
    },
  }
}

/** Commands of a session share their shell, so if both sides have a mark, only the mark tells them apart. */
export function isTerminationOf(
  termination: Pick<Termination, 'pids' | 'marks' | 'sessions' | 'ancestors'>,
  family: ProcessFamily,
): boolean {
  if (termination.marks.size > 0 && family.mark !== undefined) return termination.marks.has(family.mark)
  return [termination.sessions, termination.pids, termination.ancestors].some((known) => known.has(family.root))
}

/** The fields of an execution's end that say what was ended of it. */
export function terminationFields(termination: Termination | undefined): { cause?: runs.EndCause; message?: string } {
  return termination === undefined ? {} : { cause: termination.cause, message: termination.message }
}
