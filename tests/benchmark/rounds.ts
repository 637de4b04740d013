import type { Random } from '@threadbox/testkit/repeats'
import { checkConformance } from './conformance.ts'
import { type Driver, type Technology, UnsupportedError } from './driver.ts'
import type { Line } from './raw-samples.ts'
import { openSubject, type Subject } from './subject.ts'
import { untilQuiet } from './surroundings.ts'
import type { Task } from './task.ts'
import { within } from './within.ts'

/** A technology whose samples count. */
export type Entrant = { name: string; hasImage: boolean; driver: Driver }

/** How long the machine may still do what the previous technology left. */
const quietLimitMs = 2000
/** A sample that takes longer is a failure. */
const sampleLimitMs = 180_000
const conformance = { megabytes: 32, limitMs: 60_000, atOnce: 1 }

/** Opens them and runs the conformance suite. One that can’t run or doesn’t pass is a line with the reason, and left out. */
export async function openEntrants(technologies: Technology[], note: (line: Line) => void): Promise<Entrant[]> {
  const entrants: Entrant[] = []
  for (const technology of technologies) {
    const { name, about, hasImage } = technology
    console.error(`Checking ${name}`)
    try {
      const { driver, version } = await technology.open()
      const outcomes = await checkConformance(driver, conformance)
      const failed = outcomes.find(({ problem }) => problem !== null)
      const problem = failed === undefined ? null : `it fails a check, “${failed.check}”: ${failed.problem}`
      const passed = outcomes.filter((outcome) => outcome.problem === null).length
      note({ type: 'driver', name, about, version, capabilities: driver.capabilities, passed, problem })
      if (problem === null) entrants.push({ name, hasImage, driver })
      else await driver[Symbol.asyncDispose]()
    } catch (error) {
      note({ type: 'driver', name, about, version: '', capabilities: null, passed: 0, problem: messageOf(error) })
    }
  }
  return entrants
}

export type RoundsOptions = {
  entrants: readonly Entrant[]
  tasks: readonly Task[]
  megabytes: number
  rounds: number
  random: Random
  note: (line: Line) => void
  /** Called after each round. */
  onRound: () => Promise<void>
  /** Ends the run after the current sample. */
  signal: AbortSignal
}

/** Each round takes one sample of each row of each technology, in a new order. */
export async function measureRounds(options: RoundsOptions): Promise<void> {
  const { entrants, tasks, rounds, random, signal } = options
  const subjects = new Map<string, Subject>()
  for (let round = 1; round <= rounds && !signal.aborted; round++) {
    console.error(`Round ${round} of ${rounds}, ${options.megabytes} MiB`)
    for (const entrant of shuffled(entrants, random)) {
      await untilQuiet(quietLimitMs)
      for (const task of shuffled(
        tasks.filter((each) => fits(each, entrant)),
        random,
      )) {
        if (signal.aborted) break
        await measureTask({ ...options, task, entrant, round, subjects })
      }
    }
    await options.onRound()
  }
  for (const name of [...subjects.keys()]) await discardSubject(subjects, name)
}

/** In a sandbox that earlier tasks used, if they left one. */
async function measureTask(
  at: RoundsOptions & { task: Task; entrant: Entrant; round: number; subjects: Map<string, Subject> },
): Promise<void> {
  const { task, entrant, round, megabytes, subjects, random, note, signal } = at
  const driver = entrant.name
  const key = task.keepsForks === true ? `${driver} with forks` : driver
  try {
    const subject = subjects.get(key) ?? (await openSubject(entrant.driver, { megabytes, random }))
    subjects.set(key, subject)
    const samples = await within(sampleLimitMs, task.measure(subject))
    for (const [index, { id: row }] of task.rows.entries()) {
      const sample = samples[index]
      if (sample !== undefined) note({ type: 'sample', row, driver, round, ...sample })
    }
    if (task.endsProgram === true) await discardSubject(subjects, key)
  } catch (error) {
    // What an interruption of the run ended is no failure of the technology.
    if (signal.aborted) return
    const problem = messageOf(error)
    for (const { id: row } of task.rows) note({ type: 'failure', row, driver, round, problem })
    console.error(`${driver}, ${task.rows[0]?.id}: ${problem}`)
    await discardSubject(subjects, key)
  }
}

function fits({ needs, needsImage }: Task, { driver, hasImage }: Entrant): boolean {
  return (needs === undefined || needs(driver.capabilities)) && (needsImage !== true || hasImage)
}

/** What a failure left can be in any state; the next sample has a new sandbox. */
async function discardSubject(subjects: Map<string, Subject>, name: string): Promise<void> {
  const subject = subjects.get(name)
  subjects.delete(name)
  await subject?.remove().catch((error: unknown) => console.error(`A sandbox of ${name} stays: ${messageOf(error)}`))
}

function shuffled<Value>(values: readonly Value[], random: Random): Value[] {
  return values
    .map((value) => ({ value, at: random.next() }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ value }) => value)
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return error instanceof UnsupportedError ? `not supported: ${text}` : text.slice(0, 500)
}
