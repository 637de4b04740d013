import type { runs } from '@threadbox/protocol/guest'
import type { ProcessFamily } from '../processes/process-family.ts'

const verdictsKept = 100

/** A record of a program that was ended because the sandbox was at a limit. */
export type Verdict = {
  cause: runs.EndCause.OUT_OF_MEMORY | runs.EndCause.OUT_OF_PROCESSES
  /** Which program, how much of what, and which limit. */
  words: string
  /** Milliseconds of `performance.now()`. */
  at: number
  pids: ReadonlySet<number>
  /** Keys of the executions that its processes belonged to, as far as they had a mark. */
  marks: ReadonlySet<string>
  sessions: ReadonlySet<number>
  ancestors: ReadonlySet<number>
  /** The origin is unknown, so everything that was running gets the report. */
  isUntraceable?: boolean
}

export type Verdicts = {
  add(verdict: Verdict): void
  /** Returns what was ended of this family since then, or undefined. Returns each record once. */
  take(family: ProcessFamily, since: number): Verdict | undefined
}

export function makeVerdicts(): Verdicts {
  const verdicts: Verdict[] = []
  return {
    add: (verdict) => {
      verdicts.push(verdict)
      verdicts.splice(0, verdicts.length - verdictsKept)
    },
    take: (family, since) => {
      const index = verdicts.findIndex(
        (verdict) => verdict.at >= since && (verdict.isUntraceable || isVerdictOn(verdict, family)),
      )
      return index < 0 ? undefined : verdicts.splice(index, 1)[0]
    },
  }
}

/** Commands of a session share their shell, so if both sides have a mark, only the mark tells them apart. */
export function isVerdictOn(
  verdict: Pick<Verdict, 'pids' | 'marks' | 'sessions' | 'ancestors'>,
  family: ProcessFamily,
): boolean {
  if (verdict.marks.size > 0 && family.mark !== undefined) return verdict.marks.has(family.mark)
  return [verdict.sessions, verdict.pids, verdict.ancestors].some((known) => known.has(family.root))
}

/** The fields of an execution's end that say what was ended of it. */
export function verdictFields(verdict: Verdict | undefined): { cause?: runs.EndCause; message?: string } {
  return verdict === undefined ? {} : { cause: verdict.cause, message: verdict.words }
}
