import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { sandboxIdsOf } from '../../stack/installation.ts'
import { type CostStage, openCostStage } from '../cost/cost-stage.ts'
import { bootOf, heldMemory } from '../cost/held-memory.ts'
import { processMs } from '../cost/processor-time.ts'
import { emptyFigure, type Figure } from '../figure.ts'
import { timeOfTurn } from './commands.ts'
import { MiB } from './memory.ts'

const chosenCount = 20
/** More are created at the same time than two processors need. */
const together = 2
const idleMs = 60_000
const pollMs = 2000
/** Freezing takes half a minute, and compressing a minute more; the compression of all of them some minutes. */
const settleLimitMs = 15 * 60_000

/**
 * Many threads that are awake and idle, in an installation with the product’s own settings: what they cost while nothing
 * uses them, and how soon one of them has run a command.
 */
export async function awakeThreads({ threads: count }: { threads: number }): Promise<Figure[]> {
  await using stage = await openCostStage()
  const threads = await makeThreads(stage, count)
  const boots = await awakeBoots(stage)
  await untilMemorySettles(stage)
  const who = `${count} idle awake threads`
  const watched = { floorTitle: null }
  const cpu: Figure = {
    ...emptyFigure({
      id: 'awake-idle-cpu',
      title: `Processor use of server and host daemon with ${who}`,
      target: { maxP95: 10 },
      ...watched,
    }),
    unit: '%',
  }
  cpu.samples.push(await idleCpuPercent(stage))
  const memory: Figure = {
    ...emptyFigure({
      id: 'awake-memory',
      title: `Memory of each of ${who} that can’t be reclaimed, with its share of compressed memory`,
      target: { maxP95: 50 },
      ...watched,
    }),
    unit: 'MiB',
  }
  for (const bytes of await heldByThreads(stage)) memory.samples.push(bytes / MiB)
  const chosen = Array.from({ length: chosenCount }, (_, index) => threads[Math.floor((index * count) / chosenCount)])
  const command = emptyFigure({
    id: 'awake-true',
    title: `Command \`true\` in ${chosenCount} of ${who}, one after the other`,
    target: { maxP50: 150 },
    floorTitle: 'the same again in each, immediately after',
  })
  for (const thread of chosen) {
    if (thread === undefined) continue
    command.samples.push(await timeOfTurn(thread))
    command.floorSamples.push(await timeOfTurn(thread))
  }
  const slowest = emptyFigure({
    id: 'awake-true-slowest',
    title: 'The slowest of these',
    target: { maxP50: 150 },
    ...watched,
  })
  slowest.samples.push(Math.max(...command.samples))
  const ended: Figure = {
    ...emptyFigure({ id: 'awake-ended', title: `Sandboxes of ${who} that ended`, target: { maxP50: 0 }, ...watched }),
    unit: 'times',
  }
  const left = await awakeBoots(stage)
  ended.samples.push([...boots].filter((boot) => !left.has(boot)).length)
  return [cpu, memory, command, slowest, ended]
}

async function makeThreads(stage: CostStage, count: number): Promise<Awaited<ReturnType<CostStage['newThread']>>[]> {
  const made: Awaited<ReturnType<CostStage['newThread']>>[] = []
  let begun = 0
  const work = async () => {
    while (begun < count) {
      begun += 1
      if (begun % 20 === 0) console.error(`Thread ${begun} of ${count}`)
      const thread = await stage.newThread()
      const { calls } = await thread.say('/run true')
      if (calls[0]?.status !== 'succeeded') throw new Error(`a new thread failed: ${JSON.stringify(calls)}`)
      made.push(thread)
    }
  }
  await Promise.all(Array.from({ length: together }, work))
  return made
}

/** The boots of all sandboxes that are awake. */
async function awakeBoots({ host }: CostStage): Promise<Set<string>> {
  const { body } = await host.request('GET', hostPaths.list())
  const { sandboxes } = body as { sandboxes: { bootId: string | null; actual: string }[] }
  return new Set(sandboxes.flatMap(({ bootId, actual }) => (actual === 'ready' && bootId !== null ? [bootId] : [])))
}

/** The memory of each sandbox of a thread, without spares. */
async function heldByThreads(stage: CostStage): Promise<number[]> {
  const held = await heldMemory(stage.host.installation)
  const ofThreads: number[] = []
  // One after the other: each reads the records of all.
  for (const sandboxId of await sandboxIdsOf(stage)) {
    ofThreads.push(held.get(await bootOf(stage.host, sandboxId)) ?? Number.NaN)
  }
  return ofThreads
}

/** All are frozen and compressed when the memory of all together stays the same for two minutes, as far as a machine lets them. */
async function untilMemorySettles(stage: CostStage): Promise<void> {
  await stage.settle()
  const limit = performance.now() + settleLimitMs
  let least = Number.POSITIVE_INFINITY
  let leastAt = performance.now()
  while (performance.now() < limit && performance.now() - leastAt < 2 * idleMs) {
    const held = [...(await heldMemory(stage.host.installation)).values()].reduce((sum, bytes) => sum + bytes, 0)
    if (held < least * 0.995) [least, leastAt] = [held, performance.now()]
    await delay(pollMs)
  }
}

async function idleCpuPercent({ server, host }: CostStage): Promise<number> {
  const used = async () =>
    (await Promise.all([server.pid(), host.pid()].map(processMs))).reduce((sum, { own }) => sum + own, 0)
  const before = await used()
  const startedAt = performance.now()
  await delay(idleMs)
  return (((await used()) - before) / (performance.now() - startedAt)) * 100
}
