import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import { type Stage, spares } from '../stage.ts'
import { kernelImportMs } from './cold.ts'

/**
 * The first command of a new thread, in a spare, and in a boot from the boot template when there is no spare; and the
 * first Python cell of a new thread.
 */
export async function starting(stage: Stage): Promise<Figure[]> {
  const floorTitle = 'runsc run of /bin/echo over a copy of the same image, to its first byte'
  const pool = emptyFigure({
    id: 'first-command-pool',
    title: 'First command of a new thread until it has ended, from a spare',
    floorTitle,
    target: null,
    aimP50: 100,
  })
  const template = emptyFigure({
    id: 'first-command-template',
    title: 'First command of a new thread until it has ended, from the boot template',
    floorTitle,
    target: null,
    aimP50: 400,
  })
  const cell = emptyFigure({
    id: 'first-cell',
    title: 'First Python cell of a new thread, from a spare',
    floorTitle: 'the modules of a Jupyter kernel imported in an awake sandbox',
    target: null,
  })
  const { thread: other, sandboxId } = await stage.newAwakeThread()
  for (let round = 0; round < stage.rounds; round++) {
    cell.floorSamples.push(await kernelImportMs(stage, sandboxId))
    await untilKernelsWait(stage)
    await firstMessage(stage, { figure: cell, message: '/python 1 + 1' })
  }
  for (let round = 0; round < stage.rounds; round++) {
    await stage.untilSparesWait()
    const bootMs = await stage.raw.firstByteMs()
    for (const figure of [pool, template]) figure.floorSamples.push(bootMs)
    await firstMessage(stage, { figure: pool, message: '/run true' })
    await measureTemplate(stage, template)
  }
  await stage.client.threads.delete(other.id)
  return [pool, template, cell]
}

/** A busy machine gets none in this time; then the cells that are measured wait for theirs. */
const longestKernelWaitMs = 60_000

/** Resolves when spares have kernels, as they do where threads use Python and the machine is idle. */
async function untilKernelsWait(stage: Stage): Promise<void> {
  await firstMessage(stage, { figure: emptyFigure(unmeasured), message: '/python 1 + 1' })
  const count = async () => {
    const { body } = await stage.host.request('GET', hostPaths.info())
    return (body as { spareKernels: number }).spareKernels
  }
  const until = performance.now() + longestKernelWaitMs
  while ((await count()) < spares && performance.now() < until) await delay(200)
}

const unmeasured = { id: 'unmeasured', title: '', floorTitle: null, target: null }

async function firstMessage(stage: Stage, { figure, message }: { figure: Figure; message: string }): Promise<void> {
  const thread = await stage.newThread()
  figure.samples.push(await timed(() => thread.say(message)))
  await stage.client.threads.delete(thread.id)
}

/** Uses up all spares at the same time, and then starts one more before another spare is ready. */
async function measureTemplate(stage: Stage, figure: Figure): Promise<void> {
  await stage.untilSparesWait()
  const first = await Promise.all(Array.from({ length: spares }, () => stage.newThread()))
  const thread = await stage.newThread()
  await Promise.all(first.map(({ id }) => stage.client.sandboxes.wake(id)))
  const takenBefore = await takenOver(stage)
  figure.samples.push(await timed(() => thread.say('/run true')))
  if ((await takenOver(stage)) !== takenBefore) throw new Error('the pool was not empty')
  for (const { id } of [...first, thread]) await stage.client.threads.delete(id)
}

/** How many sandboxes were adopted spares so far. */
async function takenOver({ host }: Stage): Promise<number> {
  return (await host.log()).split('"takenOverMs"').length - 1
}
