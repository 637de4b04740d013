import { appendFileSync } from 'node:fs'
import { check, type IAsyncProperty, type IProperty, type RunDetails, stringify } from 'fast-check'
import { seeded } from '../repeats/index.ts'
import { keepCase, keptCases } from './kept-cases.ts'

const runsByDefault = 200

/** One line of the file that `./threadbox fuzz` reads; without `cases`, the property has only begun. */
export type PropertyReport = { name: string; seed: number; cases?: number; failure?: string; keptIn?: string }

/**
 * Checks a property of a parser (fast-check), first with the cases that once failed. With the same seed, the inputs are
 * the same. `./threadbox fuzz` repeats it for a share of its time and keeps a case that fails. `name` is a literal, unique
 * in the repository: docs/testing.md lists it.
 */
export async function checkProperty<Values extends [unknown, ...unknown[]]>(
  name: string,
  property: IProperty<Values> | IAsyncProperty<Values>,
  { runs = runsByDefault }: { runs?: number } = {},
): Promise<void> {
  const seed = Math.floor(seeded(name).next() * 2 ** 32) | 0
  const examples = keptCases<Values>(name)
  const fuzzMs = Number(process.env.THREADBOX_FUZZ_MS ?? 0)
  report({ name, seed })
  const limits =
    fuzzMs > 0
      ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: fuzzMs }
      : { numRuns: runs + examples.length }
  const details: RunDetails<Values> = await check(property as IAsyncProperty<Values>, { seed, examples, ...limits })
  // A run that was interrupted before its first case also counts as failed there, without a counterexample.
  const found = details.counterexample ?? undefined
  const failure = found === undefined ? undefined : failureOf(details)
  const keptIn = fuzzMs > 0 && found !== undefined ? keepCase(name, found) : undefined
  report({
    name,
    seed,
    cases: details.numRuns,
    ...(failure === undefined ? {} : { failure }),
    ...(keptIn === undefined ? {} : { keptIn }),
  })
  if (failure !== undefined) throw new Error(`${name} doesn’t hold. ${failure}`, { cause: details.errorInstance })
}

function failureOf<Values>({ counterexample, errorInstance, seed, counterexamplePath }: RunDetails<Values>): string {
  const reason = errorInstance instanceof Error ? (errorInstance.stack ?? errorInstance.message) : String(errorInstance)
  return `Counterexample: ${stringify(counterexample)}\nfast-check seed ${seed}, path ${counterexamplePath}\n${reason}`
}

function report(line: PropertyReport): void {
  const file = process.env.THREADBOX_FUZZ_REPORT
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`)
}
