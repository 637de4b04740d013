import { waitAtMost } from '@threadbox/concurrency'
import type { PageReport } from '@threadbox/protocol/guest'

/** Why a check of a page ends without an image. */
export class PageProblem extends Error {
  readonly problem: NonNullable<PageReport['problem']>
  constructor(problem: NonNullable<PageReport['problem']>, message: string) {
    super(message)
    this.problem = problem
  }
}

/** A time limit for several steps together. */
export class Deadline {
  readonly #at: number
  readonly #problem: NonNullable<PageReport['problem']>
  readonly #durationMs: number

  constructor(durationMs: number, problem: NonNullable<PageReport['problem']>) {
    this.#at = performance.now() + durationMs
    this.#problem = problem
    this.#durationMs = durationMs
  }

  leftMs(): number {
    return Math.max(0, this.#at - performance.now())
  }

  /** Returns the step's result; at the deadline rejects with this deadline's problem. */
  async within<Result>(step: Promise<Result>): Promise<Result> {
    const late = new PageProblem(this.#problem, `No response within ${Math.round(this.#durationMs / 1000)} s.`)
    return await race(step, { ms: this.leftMs(), onTimeout: () => Promise.reject(late) })
  }
}

/** Returns the step's result, or what `onTimeout` returns if the step takes longer. The step itself is not canceled. */
export async function race<Result>(
  step: Promise<Result>,
  options: { ms: number; onTimeout(): Result | Promise<Result> },
): Promise<Result> {
  return (await waitAtMost(options.ms, { work: step })) === 'late' ? await options.onTimeout() : await step
}
