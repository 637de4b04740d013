import { setTimeout as delay } from 'node:timers/promises'
import { openCostStage } from '../cost/cost-stage.ts'
import { shareOf } from '../cost/use.ts'
import { emptyFigure, type Figure } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { timeOfTurn } from './commands.ts'
import { measure } from './cost.ts'

/** What a person leaves between two messages. */
const betweenMs = 30_000
/** How long the idle installation is watched. */
const idleMs = 60_000
const counted = 100

/**
 * What a hundred messages `/run true` cost, each half a minute after the last one, from as many as there are rounds: with
 * all that follows from each, and without what the installation uses in the same time while no thread has a sandbox.
 */
export async function spacedMessages({ rounds }: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using stage = await openCostStage()
  await stage.settle()
  const idle = shareOf(await measure(stage, { work: () => delay(idleMs) }), idleMs)
  const { thread } = await stage.newAwakeThread()
  await stage.settle()
  const work = async () => {
    for (let message = 0; message < rounds; message++) {
      await timeOfTurn(thread)
      await delay(betweenMs)
    }
  }
  const each = shareOf(await measure(stage, { work, idle }), rounds)
  // A part that could not be measured leaves no sum, rather than one that is too low.
  const own = ownParts
    .map((part) => each[part])
    .reduce((sum, part) => (sum === null || part === null ? null : sum + part), 0)
  const figure = (name: keyof typeof titles, target: { maxP50: number } | null) => {
    const value = name === 'own' ? own : each[name]
    return {
      ...emptyFigure({
        id: `spaced-messages-${name}`,
        title: `${counted} messages \`/run true\`, 30 s apart: ${titles[name]}`,
        floorTitle: null,
        target,
      }),
      unit: units[name],
      samples: value === null ? [] : [value * scales[name]],
    }
  }
  return [
    figure('own', { maxP50: 15_000 }),
    // The whole machine’s: also of what else runs in that hour.
    figure('processor', null),
    figure('pool', { maxP50: 200 }),
    figure('disk', null),
  ]
}

const ownParts = ['server', 'host', 'router', 'programs', 'sandboxes'] as const

const KiBPerMiB = 1024
const titles = {
  own: 'processor time of the product and its sandboxes',
  processor: 'processor time of everything',
  pool: 'written to the pool',
  disk: 'written to the disk below it',
}
const units = { own: 'ms', processor: 'ms', pool: 'MiB', disk: 'MiB' } as const
const scales = { own: counted, processor: counted, pool: counted / KiBPerMiB, disk: counted / KiBPerMiB }
