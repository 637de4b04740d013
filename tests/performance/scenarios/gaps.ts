import { setTimeout as delay } from 'node:timers/promises'
import type { TestThread } from '../../stack/installation.ts'
import { openCostStage } from '../cost/cost-stage.ts'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { timeOfTurn } from './commands.ts'

/** What people leave between the end of a turn and the next message, in seconds. */
const gaps = [0, 0.5, 1, 2.5, 5, 30] as const
const heldMegabytes = 100

/**
 * `true` in an awake thread, this long after its last turn, in an installation with the product’s own settings: what follows
 * from a turn (its snapshot, memory, deferred work) must not slow the next. Once where nothing runs, and once with a Python
 * kernel that holds memory, which each turn saves.
 */
export async function gapsBetweenMessages({ rounds }: Pick<Stage, 'rounds'>): Promise<Figure[]> {
  await using stage = await openCostStage()
  const idle = await stage.newAwakeThread()
  const holding = await stage.newAwakeThread()
  await holding.thread.say(`/python import os; held = bytearray(os.urandom(1 << 20)) * ${heldMegabytes}`)
  const floor = (sandboxId: string) => timed(() => stage.host.run(sandboxId, 'true'))
  const figures: Figure[] = []
  for (const [id, title, { thread, sandboxId }] of [
    ['gap', 'nothing runs', idle],
    ['gap-kernel', `a kernel holds ${heldMegabytes} MB`, holding],
  ] as const) {
    await stage.settle()
    const rows = gaps.map((gap) => rowOfGap({ id: `${id}-${gap}`, title: `${gap} s after a turn, ${title}` }))
    for (let round = 0; round < rounds; round++) {
      for (const [index, gap] of gaps.entries()) {
        const row = rows[index]
        if (row === undefined) continue
        row.samples.push(await afterGap(thread, gap))
        row.floorSamples.push(await floor(sandboxId))
      }
    }
    figures.push(...rows)
  }
  return figures
}

async function afterGap(thread: TestThread, seconds: number): Promise<number> {
  await timeOfTurn(thread)
  await delay(seconds * 1000)
  return await timeOfTurn(thread)
}

function rowOfGap({ id, title }: { id: string; title: string }): Figure {
  return emptyFigure({
    id,
    title: `Command \`true\`, ${title}`,
    floorTitle: 'the same command as a call to the guest through the gateway',
    target: { maxP50: 40, maxP95: 80 },
  })
}
