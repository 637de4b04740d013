import { parseArgs } from 'node:util'
import buildProgramsOnce from '../stack/built-programs.ts'
import { type Figure, type FigureRow, rowOf } from './figure.ts'
import { tableOf } from './figure-table.ts'
import { describe, describeMachine } from './machine.ts'
import { accessCheck } from './scenarios/access-check.ts'
import { agents, agentsLive } from './scenarios/agents.ts'
import { awakeThreads } from './scenarios/awake-threads.ts'
import { brokering } from './scenarios/brokering.ts'
import { burst } from './scenarios/burst.ts'
import { cold } from './scenarios/cold.ts'
import { activeCommand, firstOutput } from './scenarios/commands.ts'
import { copies } from './scenarios/copies.ts'
import { cost } from './scenarios/cost.ts'
import { deletedOpenFiles } from './scenarios/deleted-open-files.ts'
import { enterToPaint } from './scenarios/enter-to-paint.ts'
import { folderZip } from './scenarios/folder-zip.ts'
import { footprint } from './scenarios/footprint.ts'
import { forkingLarge, forkingSmall } from './scenarios/forking.ts'
import { gapsBetweenMessages } from './scenarios/gaps.ts'
import { manyThreads } from './scenarios/many-threads.ts'
import { memory } from './scenarios/memory.ts'
import { names } from './scenarios/names.ts'
import { network } from './scenarios/network.ts'
import { packageInstall } from './scenarios/packages.ts'
import { passkeySignIn } from './scenarios/passkey-sign-in.ts'
import { pausingLarge, pausingSmall } from './scenarios/pausing.ts'
import { previewDownload } from './scenarios/preview-download.ts'
import { previews } from './scenarios/previews.ts'
import { quotaReservation } from './scenarios/quota-reservation.ts'
import { recovery } from './scenarios/recovery.ts'
import { relay } from './scenarios/relay.ts'
import { rewinding } from './scenarios/rewinding.ts'
import { screenshot } from './scenarios/screenshot.ts'
import { snapshotMemory, snapshots } from './scenarios/snapshots.ts'
import { spacedMessages } from './scenarios/spaced-messages.ts'
import { starting } from './scenarios/starting.ts'
import { tabs } from './scenarios/tabs.ts'
import { teamDay } from './scenarios/team-day.ts'
import { transfers } from './scenarios/transfers.ts'
import { openStage, type Stage } from './stage.ts'

/**
 * Measures what people wait for, each next to its floor, and exits with 1 if a target is missed. `--json` prints
 * `{"machine":…,"figures":[…]}`; names of scenarios, or `--only ID[,ID]`, run only these; `--rounds N` repeats starting, pausing
 * and waking less often than a figure needs; `--threads N` has `awake-threads` start fewer or more; `--minutes N` is how long `team-day` takes; progress goes to standard error.
 */
const scenarios: Record<string, (stage: Stage) => Promise<Figure[]>> = {
  memory,
  'first-output': firstOutput,
  'active-command': activeCommand,
  'enter-to-paint': enterToPaint,
  tabs,
  starting,
  pausing: pausingSmall,
  'pausing-1024': pausingLarge,
  cold,
  'deleted-open-files': deletedOpenFiles,
  footprint,
  snapshots,
  'snapshot-memory': snapshotMemory,
  forking: forkingSmall,
  'forking-1024': forkingLarge,
  rewinding,
  agents,
  'agents-live': agentsLive,
  transfers,
  network,
  packages: packageInstall,
  previews,
  'preview-download': previewDownload,
  screenshot,
  'folder-zip': folderZip,
  'many-threads': manyThreads,
}

/** Scenarios that start what they measure themselves, beside nothing else. */
const alone: Record<
  string,
  (options: Pick<Stage, 'rounds'> & { threads: number; minutes: number }) => Promise<Figure[]>
> = {
  names,
  relay,
  brokering,
  recovery,
  cost,
  gaps: gapsBetweenMessages,
  burst,
  'spaced-messages': spacedMessages,
  'awake-threads': awakeThreads,
  'access-check': accessCheck,
  'passkey-sign-in': passkeySignIn,
  'quota-reservation': quotaReservation,
  copies,
  'team-day': teamDay,
}

/** Scenarios that need the app. */
const inBrowser = new Set(['enter-to-paint', 'screenshot', 'tabs'])

const all = [...Object.keys(scenarios), ...Object.keys(alone)]
const usage =
  'Usage: threadbox bench [SCENARIO…] [--only SCENARIO[,SCENARIO…]] [--rounds NUMBER] [--threads NUMBER] [--minutes NUMBER] [--json]'
const { values, positionals } = readArguments()
const named = [...positionals, ...(values.only?.split(',') ?? [])]
const wanted = named.length > 0 ? named : all
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  console.error(`Unknown scenario: ${unknown.join(', ')}. Scenarios: ${all.join(', ')}`)
  process.exit(2)
}

const rounds = numberOf('rounds')
const threads = numberOf('threads')
const minutes = numberOf('minutes')

/** Scenarios that could not be measured. */
const failed: string[] = []
const machine = await describeMachine()
const figures = await measure(wanted)
if (values.json) console.log(JSON.stringify({ machine, figures }, undefined, 2))
else print(figures)
if (failed.length > 0) console.error(`Not measured (reasons above): ${failed.join(', ')}`)
process.exitCode = failed.length === 0 && figures.every((figure) => figure.isMet) ? 0 : 1

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        only: { type: 'string' },
        rounds: { type: 'string', default: '30' },
        threads: { type: 'string', default: '200' },
        minutes: { type: 'string', default: '3' },
      },
    })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(`${error.message}\n${usage}\nScenarios: ${all.join(', ')}`)
    process.exit(2)
  }
}

function numberOf(name: 'rounds' | 'threads' | 'minutes'): number {
  const number = Number(values[name])
  if (Number.isInteger(number) && number > 0) return number
  console.error(`--${name} must be a whole number of at least 1.`)
  process.exit(2)
}

async function measure(names: string[]): Promise<FigureRow[]> {
  const removePrograms = await buildProgramsOnce()
  try {
    const together = await measureTogether(names.filter((name) => scenarios[name] !== undefined))
    const others: FigureRow[] = []
    for (const name of names.filter((each) => alone[each] !== undefined)) {
      others.push(...(await measured(name, async () => await alone[name]?.({ rounds, threads, minutes }))))
    }
    return [...together, ...others]
  } finally {
    await removePrograms()
  }
}

/** One installation for all of them. */
async function measureTogether(names: string[]): Promise<FigureRow[]> {
  if (names.length === 0) return []
  console.error('Starting an installation for the measurements')
  await using stage = await openStage({ rounds, hasApp: names.some((name) => inBrowser.has(name)) })
  const rows: FigureRow[] = []
  for (const name of names) rows.push(...(await measured(name, async () => await scenarios[name]?.(stage))))
  return rows
}

/** The rows of a scenario; none of one that failed: the others still count. */
async function measured(name: string, measureIt: () => Promise<Figure[] | undefined>): Promise<FigureRow[]> {
  console.error(`Measuring ${name}`)
  try {
    return ((await measureIt()) ?? []).map(rowOf)
  } catch (error) {
    failed.push(name)
    console.error(`Measuring ${name} failed:`, error)
    return []
  }
}

function print(rows: readonly FigureRow[]): void {
  console.log(describe(machine))
  for (const row of rows.filter(({ cell }) => cell === null)) {
    const floor = row.floor === null ? '' : `, floor ${row.floor} ${row.unit}, ratio ${row.ratio}`
    const target = row.target === null ? '' : `, target ${row.target}: ${row.isMet ? 'met' : 'MISSED'}`
    const aim = row.aim === null ? '' : `, aim ${row.aim}`
    console.log(`${row.title}\n  p50 ${row.value} ${row.unit}, p95 ${row.p95}, n=${row.samples}${floor}${target}${aim}`)
  }
  for (const table of new Set(rows.flatMap(({ cell }) => cell?.table ?? []))) {
    console.log(`\n${tableOf(table, rows)}\nEach value is the median, and in parentheses that of the bare parts.`)
  }
}
