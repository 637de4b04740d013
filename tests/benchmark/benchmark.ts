import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { makeRandom, type Random } from '@threadbox/testkit/repeats'
import { describeMachine } from '../performance/machine.ts'
import { placeOf } from '../performance/scenarios/pausing.ts'
import buildProgramsOnce from '../stack/built-programs.ts'
import { startInstallation } from '../stack/installation.ts'
import type { Driver, Technology } from './driver.ts'
import { jupyterServer } from './drivers/jupyter.ts'
import { native } from './drivers/native.ts'
import { openTerminal } from './drivers/open-terminal.ts'
import { runc } from './drivers/runc.ts'
import { bareRunsc } from './drivers/runsc.ts'
import { threadbox } from './drivers/threadbox.ts'
import { figuresOf } from './page.ts'
import { type Line, samplesFile, writeLines } from './raw-samples.ts'
import { type Entrant, measureRounds, openEntrants } from './rounds.ts'
import { describeSurroundings, readProcessorTime } from './surroundings.ts'
import type { Task } from './task.ts'
import { tasks } from './tasks.ts'
import { within } from './within.ts'

/**
 * Measures threadbox and other technologies by the same interface and prints the tables of docs/benchmark.md. `--drivers`
 * and `--rows` select (rows by id, or by the words that ids begin with), `--save` writes the samples from which that page is
 * generated, and `--seed` repeats the order of another run.
 */
const technologyNames = ['threadbox', 'runsc', 'runc', 'native', 'open-terminal', 'jupyter-server']
const allRows = tasks.flatMap(({ rows }) => rows)
const closeLimitMs = 60_000
const options = readOptions()
const lines: Line[] = []
const ending = new AbortController()
// Sandboxes of bare technologies would stay. A second signal ends the run immediately.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort())
const removePrograms = await buildProgramsOnce()
try {
  await measure()
} finally {
  await removePrograms()
}
console.log(figuresOf(lines))
await save()

/** After each round too: a run of an hour that is ended leaves what it has measured. */
async function save(): Promise<void> {
  if (options.save) await writeFile(path.join(import.meta.dirname, '../..', samplesFile), writeLines(lines))
}

async function measure(): Promise<void> {
  const { seed, rounds } = options
  console.error(`Starting an installation for the measurements; seed ${seed}`)
  await using installation = await startInstallation({
    asInstalled: true,
    // Sandboxes of deleted threads would add up for the half minute in which a person can undo it.
    serverEnvironment: { THREADBOX_UNDO_SECONDS: '1' },
  })
  const place = await placeOf(installation.host)
  const all: Technology[] = [
    threadbox(installation),
    bareRunsc(place),
    await runc(place),
    native(place),
    openTerminal(),
    jupyterServer(),
  ]
  const { stdout: commit } = await promisify(execFile)('git', ['rev-parse', '--short', 'HEAD'])
  const before = await readProcessorTime()
  const note = (line: Line) => void lines.push(line)
  note({
    type: 'run',
    command: `./threadbox benchmark ${process.argv.slice(2).join(' ')}`.trim(),
    startedAt: new Date().toISOString(),
    commit: commit.trim(),
    seed,
    rounds,
    machine: { ...(await describeMachine()), ...(await describeSurroundings(place.imageRoot)) },
  })
  const random = makeRandom(seed)
  const entrants = await openEntrants(
    all.filter(({ name }) => options.drivers.includes(name)),
    note,
  )
  await measureAll(entrants, random, note)
  const after = await readProcessorTime()
  const share = (name: 'busy' | 'steal') => (after[name] - before[name]) / (after.total - before.total)
  note({ type: 'end', endedAt: new Date().toISOString(), busyShare: share('busy'), stealShare: share('steal') })
}

/** Sizes one after the other: not every machine has the memory for all of them. */
async function measureAll(entrants: Entrant[], random: Random, note: (line: Line) => void): Promise<void> {
  try {
    for (const megabytes of [...new Set(options.tasks.map((task) => task.megabytes))].toSorted((a, b) => a - b)) {
      const due = options.tasks.filter((task) => task.megabytes === megabytes)
      await measureRounds({
        entrants,
        tasks: due,
        megabytes,
        rounds: options.rounds,
        random,
        note,
        onRound: save,
        signal: ending.signal,
      })
    }
  } finally {
    for (const { name, driver } of entrants) await closeDriver(name, driver)
  }
}

/** What was interrupted may no longer respond. */
async function closeDriver(name: string, driver: Driver): Promise<void> {
  try {
    await within(closeLimitMs, driver[Symbol.asyncDispose]())
  } catch (error) {
    console.error(`Sandboxes of ${name} may be left:`, error)
  }
}

function readOptions(): { drivers: string[]; tasks: Task[]; rounds: number; seed: number; save: boolean } {
  const usage =
    'Usage: threadbox benchmark [--drivers NAME[,NAME…]] [--rows ROW[,ROW…]] [--rounds NUMBER] [--seed NUMBER] [--save]'
  const refuse = (problem: string): never => {
    console.error(`${problem}\n${usage}`)
    process.exit(2)
  }
  const read = () => {
    const text = { type: 'string' } as const
    const known = { drivers: text, rows: text, rounds: text, seed: text, save: { type: 'boolean' } } as const
    try {
      return parseArgs({ options: known }).values
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      return refuse(error.message)
    }
  }
  const values = read()
  const drivers = values.drivers?.split(',') ?? technologyNames
  const unknown = drivers.find((name) => !technologyNames.includes(name))
  if (unknown !== undefined) refuse(`Unknown driver: ${unknown}. Drivers: ${technologyNames.join(', ')}`)
  const named = values.rows?.split(',')
  const isNamed = (id: string, start: string) => id === start || id.startsWith(`${start}-`)
  const missing = named?.find((start) => !allRows.some(({ id }) => isNamed(id, start)))
  if (missing !== undefined) refuse(`Unknown row: ${missing}. Rows: ${allRows.map(({ id }) => id).join(', ')}`)
  const isWanted = ({ rows }: Task) =>
    rows.some(({ id, isOptional }) => named?.some((start) => isNamed(id, start)) ?? isOptional !== true)
  const rounds = Number(values.rounds ?? 30)
  if (!Number.isInteger(rounds) || rounds < 1) refuse('--rounds must be a whole number of at least 1.')
  const seed = Number(values.seed ?? Date.now() % 2 ** 31)
  if (!Number.isInteger(seed)) refuse('--seed must be a whole number.')
  return { drivers, tasks: tasks.filter(isWanted), rounds, seed, save: values.save === true }
}
