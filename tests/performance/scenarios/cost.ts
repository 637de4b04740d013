import { setTimeout as delay } from 'node:timers/promises'
import type { TestThread } from '../../stack/installation.ts'
import { type CostStage, openCostStage } from '../cost/cost-stage.ts'
import { heldBySandbox, heldMemory } from '../cost/held-memory.ts'
import type { Operation } from '../cost/operation.ts'
import { makeOperations } from '../cost/operations.ts'
import { between, type Measure, measures, shareOf, type Use } from '../cost/use.ts'
import type { Figure } from '../figure.ts'
import { makeRawMemory } from '../floors/raw-memory.ts'
import { makeRawSandbox } from '../floors/raw-sandbox.ts'
import type { Stage } from '../stage.ts'
import { placeOf } from './pausing.ts'

const table = 'cost'
/** Each waits for all that follows: enough for two runs that differ by less than 15 %. */
const mostRounds = 5
/** Measured before each sample: which threads are awake decides what an idle installation uses. */
const idleMs = 20_000
const hourMs = 60 * 60_000
const watchedMs = 60_000
const watchedThreads = 8
const MiB = 1024 * 1024

/**
 * What each operation costs the machine, with everything that follows from it, in an installation with the product’s own
 * settings. What that installation used just before, while it was idle, is subtracted for the same time.
 */
export async function cost({ rounds }: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using cleanup = new AsyncDisposableStack()
  const stage = cleanup.use(await openCostStage())
  const place = await placeOf(stage.host)
  const { host } = stage
  const small = cleanup.use(await makeRawMemory({ ...place, held: { megabytes: 1 }, name: 'raw-small' }))
  const large = cleanup.use(await makeRawMemory({ ...place, held: { megabytes: 100 }, name: 'raw-large' }))
  const boot = cleanup.use(await makeRawSandbox(host))
  // What each restores later.
  for (const raw of [small, large]) {
    await raw.saveMs()
    await raw.resumeMs()
  }
  await stage.settle()
  const spare = [...(await heldMemory(host.installation)).values()]
  const operations = await makeOperations({ stage, small, large, boot, place })
  await stage.settle()
  const figures: Figure[] = []
  for (const operation of operations) {
    console.error(`  ${operation.title}`)
    figures.push(...(await figuresOf(operation, { stage, rounds: Math.min(rounds, mostRounds) })))
  }
  return [...figures, ...(await hours(stage)), memoryFigure('spare', spare), ...(await memoryOfStates(stage))]
}

/** What the installation used until the work had ended. */
export async function measure(
  stage: CostStage,
  { work, idle }: { work: () => Promise<unknown>; idle?: Use },
): Promise<Use> {
  const [before, startedAt] = [await stage.readUse(), performance.now()]
  await work()
  return between({ before, after: await stage.readUse(), ms: performance.now() - startedAt, idle })
}

async function figuresOf(
  operation: Operation,
  { stage, rounds }: { stage: CostStage; rounds: number },
): Promise<Figure[]> {
  const { id, title, floor, times = 1 } = operation
  const [own, bare]: [Use[], Use[]] = [[], []]
  const repeat = async (act: () => Promise<unknown>) => {
    for (let time = 0; time < times; time++) await act()
  }
  for (let round = 0; round < rounds; round++) {
    await operation.prepare?.()
    await floor.prepare?.()
    await stage.settle()
    const idle = shareOf(await measure(stage, { work: () => delay(idleMs) }), idleMs)
    bare.push(shareOf(await measure(stage, { work: () => repeat(floor.act), idle }), times))
    const whole = async () => {
      await repeat(operation.act)
      await stage.settle()
    }
    own.push(shareOf(await measure(stage, { work: whole, idle }), times))
    await operation.clean?.()
  }
  return figuresFrom({ id, title, own, bare, floorTitle: floor.title })
}

/** Parts of the installation take no part in a floor. */
const floorMeasures: readonly Measure[] = ['processor', 'pool', 'disk', 'pool-commits']

function figuresFrom(operation: {
  id: string
  title: string
  own: Use[]
  bare: Use[]
  floorTitle: string | null
}): Figure[] {
  const { id, title, own, bare, floorTitle } = operation
  return Object.entries(measures).map(([name, { unit, title: column }]) => {
    const measure = name as Measure
    const valuesOf = (uses: Use[]) => uses.map((use) => use[measure]).filter((value) => value !== null)
    return {
      id: `cost-${id}-${measure}`,
      title: `${title}: ${column}`,
      unit,
      samples: valuesOf(own),
      floorSamples: floorMeasures.includes(measure) ? valuesOf(bare) : [],
      floorTitle,
      target: null,
      cell: { table, row: title, column: `${measure} ${unit === 'times' ? '' : unit}`.trim() },
    }
  })
}

/**
 * An hour of an awake thread in which nothing happens, and of a paused one: a minute of several, without what the rest uses
 * in that time. One thread alone uses less than what such minutes differ by.
 */
async function hours(stage: CostStage): Promise<Figure[]> {
  const minute = (idle?: Use) =>
    measure(stage, { work: () => delay(watchedMs), ...(idle === undefined ? {} : { idle }) })
  await stage.settle()
  const without = shareOf(await minute(), watchedMs)
  const threads: TestThread[] = []
  for (let count = 0; count < watchedThreads; count++) threads.push((await stage.newAwakeThread()).thread)
  for (const { id } of threads) await stage.untilSnapshotTaken(id)
  await stage.settle()
  const awake = await minute(without)
  for (const { id } of threads) await stage.client.sandboxes.pause(id)
  await stage.settle()
  const paused = await minute(without)
  for (const thread of threads) await stage.removeThread(thread)
  const perHour = (use: Use) => shareOf(use, watchedThreads * (watchedMs / hourMs))
  return [
    ...figuresFrom({
      id: 'hour-awake',
      title: 'hour of an idle awake thread',
      own: [perHour(awake)],
      bare: [],
      floorTitle: null,
    }),
    ...figuresFrom({
      id: 'hour-paused',
      title: 'hour of a paused thread',
      own: [perHour(paused)],
      bare: [],
      floorTitle: null,
    }),
  ]
}

/** Memory that the kernel can’t reclaim, of a thread that has run a command and of the same thread paused in RAM. */
async function memoryOfStates(stage: CostStage): Promise<Figure[]> {
  const { thread, sandboxId } = await stage.newAwakeThread()
  await stage.untilSnapshotTaken(thread.id)
  await stage.settle()
  const awake = await heldBySandbox(stage.host, sandboxId)
  await stage.client.sandboxes.pause(thread.id)
  await stage.settle()
  const frozen = await heldBySandbox(stage.host, sandboxId)
  await stage.removeThread(thread)
  return [memoryFigure('awake', [awake]), memoryFigure('frozen', [frozen])]
}

function memoryFigure(state: 'spare' | 'awake' | 'frozen', bytes: readonly number[]): Figure {
  return {
    id: `cost-memory-${state}`,
    title: `Memory that can’t be reclaimed: ${{ spare: 'a spare', awake: 'an idle awake thread', frozen: 'a thread paused in RAM' }[state]}`,
    unit: 'MiB',
    samples: bytes.map((each) => each / MiB),
    floorSamples: [],
    floorTitle: null,
    target: null,
  }
}
