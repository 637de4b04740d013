import { setTimeout as delay } from 'node:timers/promises'
import { sandboxIdsOf, type TestThread } from '../../stack/installation.ts'
import { type CostStage, openCostStage } from '../cost/cost-stage.ts'
import { emptyFigure, type Figure, percentile, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { timeOfTurn } from './commands.ts'

const small = 12
const large = 30
const mostRounds = 5
/** What a person leaves between two messages. */
const betweenMs = 500
const usualMessages = 10

/**
 * New threads that get their first message at the same moment, in an installation with the product’s own settings, and how
 * long `true` takes at the same time in a thread that already has a sandbox.
 */
export async function burst({ rounds }: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using stage = await openCostStage()
  const { thread: old } = await stage.newAwakeThread()
  const figures = { small: figuresOf(small), large: figuresOf(large), during: duringFigure() }
  for (let round = 0; round < Math.min(rounds, mostRounds); round++) {
    for (const [of, count] of [
      [figures.small, small],
      [figures.large, large],
    ] as const) {
      await stage.settle()
      const usual: number[] = []
      for (let message = 0; message < usualMessages; message++) usual.push(await afterAMoment(old))
      const { durations, during } = await runBurst(stage, { old, count })
      of.median.samples.push(percentile(durations, 0.5))
      of.last.samples.push(Math.max(...durations))
      of.each.samples.push(Math.max(...durations) / count)
      if (count !== small) continue
      figures.during.samples.push(...during)
      figures.during.floorSamples.push(...usual)
    }
  }
  const { median, last, each } = figures.small
  return [median, last, each, figures.during, ...Object.values(figures.large)]
}

async function runBurst(stage: CostStage, { old, count }: { old: TestThread; count: number }) {
  const before = (await sandboxIdsOf(stage)).length
  const threads = await Promise.all(Array.from({ length: count }, () => stage.newThread()))
  const ended = new AbortController()
  const messages = messagesUntil(old, ended.signal)
  const durations = await Promise.all(threads.map((thread) => timed(() => firstCommand(thread))))
  ended.abort()
  const during = await messages
  await Promise.all(threads.map(({ id }) => stage.client.threads.delete(id)))
  while ((await sandboxIdsOf(stage)).length > before) await delay(200)
  return { durations, during }
}

async function firstCommand(thread: TestThread): Promise<void> {
  const { calls } = await thread.say('/run true')
  if (calls[0]?.status !== 'succeeded') throw new Error(`a new thread failed: ${JSON.stringify(calls)}`)
}

async function messagesUntil(thread: TestThread, signal: AbortSignal): Promise<number[]> {
  const durations: number[] = []
  while (!signal.aborted) durations.push(await afterAMoment(thread))
  return durations
}

async function afterAMoment(thread: TestThread): Promise<number> {
  await delay(betweenMs)
  return await timeOfTurn(thread)
}

function figuresOf(count: number) {
  const who = `${count} new threads that get a message at the same moment`
  const target = count === small ? { median: { maxP50: 3000 }, last: { maxP50: 5000 } } : { median: null, last: null }
  const noFloor = { floorTitle: null }
  return {
    median: emptyFigure({
      id: `burst-${count}-median`,
      title: `${who}: the median, until its command has ended`,
      target: target.median,
      ...noFloor,
    }),
    last: emptyFigure({ id: `burst-${count}-last`, title: `${who}: the last`, target: target.last, ...noFloor }),
    each: emptyFigure({
      id: `burst-${count}-each`,
      title: `${who}: the last, divided by their number`,
      target: null,
      ...noFloor,
    }),
  }
}

function duringFigure(): Figure {
  return emptyFigure({
    id: 'burst-true',
    title: `Command \`true\` in another thread while ${small} new threads start`,
    floorTitle: 'the same before they start',
    target: { maxRatio: 4 },
  })
}
