import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { hostPaths } from '@threadbox/protocol/host'
import type { TestThread } from '../../stack/installation.ts'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import { type Held, holdingCommand, makeRawMemory, type RawMemory } from '../floors/raw-memory.ts'
import type { Stage } from '../stage.ts'

type Measured = { megabytes: number; title: string; from: readonly ('frozen' | 'memory')[] }

/** A thread that holds 64 MiB is paused and gets a message, alternately from RAM and from its image. */
export function pausingSmall(stage: Stage): Promise<Figure[]> {
  return pausing(stage, { megabytes: 64, title: '64 MiB', from: ['frozen', 'memory'] })
}

/** A thread that holds 1 GiB is paused and gets a message after its frozen copy was removed from RAM. */
export function pausingLarge(stage: Stage): Promise<Figure[]> {
  return pausing(stage, { megabytes: 1024, title: '1 GiB', from: ['memory'] })
}

/** The same process holds the same memory in a thread and in a bare container; both are saved and woken alternately. */
async function pausing(stage: Stage, { megabytes, title, from }: Measured): Promise<Figure[]> {
  const held = { megabytes }
  await using raw = await makeRawMemory({ ...(await placeOf(stage.host)), held })
  const { thread, sandboxId } = await stage.newAwakeThread()
  await holdIn(thread, held)
  const figures = figuresOf({ megabytes, title })
  for (let round = 0; round < stage.rounds * from.length; round++) {
    const kind = from[round % from.length] ?? 'memory'
    await measureRound(stage, { thread, sandboxId, raw, figures, kind })
  }
  await stage.client.threads.delete(thread.id)
  return [figures.pause, figures.stall, ...from.map((kind) => figures[kind])]
}

function figuresOf({ megabytes, title }: { megabytes: number; title: string }) {
  const wakeFloor = 'and the same command as a call to the guest of an awake sandbox'
  return {
    pause: emptyFigure({
      id: `pause-${megabytes}`,
      title: `Pause of a sandbox that holds ${title}, from the order until it is durable`,
      floorTitle: 'runsc pause and checkpoint of the same process, and a sync of the image',
      target: null,
    }),
    stall: emptyFigure({
      id: `pause-stall-${megabytes}`,
      title: `Longest wait for a sandbox that holds ${title} while it is being paused`,
      floorTitle: 'runsc pause and checkpoint of the same process, and a sync of the image',
      target: { maxRatio: 1.3 },
    }),
    frozen: emptyFigure({
      id: `wake-frozen-${megabytes}`,
      title: `Message to a paused thread until its command has ended, from RAM, holding ${title}`,
      floorTitle: `runsc resume, ${wakeFloor}`,
      target: { maxRatio: 2 },
      aimP50: 100,
    }),
    memory: emptyFigure({
      id: `wake-memory-${megabytes}`,
      title: `Message to a paused thread until its command has ended, from disk, holding ${title}`,
      floorTitle: `runsc restore of the same process, ${wakeFloor}`,
      target: { maxRatio: 1.5, maxP50: 1000 },
      aimP50: 400,
    }),
  }
}

async function measureRound(
  stage: Stage,
  round: {
    thread: TestThread
    sandboxId: string
    raw: RawMemory
    figures: ReturnType<typeof figuresOf>
    kind: 'frozen' | 'memory'
  },
): Promise<void> {
  const { thread, sandboxId, raw, figures, kind } = round
  const { pause, stall } = figures
  const commandMs = await timed(() => stage.host.run(sandboxId, 'true'))
  const { syncedMs } = await raw.saveMs()
  pause.samples.push(await timed(() => stage.client.sandboxes.pause(thread.id)))
  stall.samples.push(await lastStallMs(stage, sandboxId))
  pause.floorSamples.push(syncedMs)
  stall.floorSamples.push(syncedMs)
  if (kind === 'memory') await dropFrozen(stage, sandboxId)
  figures[kind].floorSamples.push(commandMs + (kind === 'memory' ? await raw.restoreMs() : await raw.resumeMs()))
  figures[kind].samples.push(await timed(() => thread.say('/run true')))
  await stage.untilSnapshotTaken(thread.id)
  await untilChecked(stage, thread)
}

/** Resolves when what the last wake kept was checked: a pause right after a wake waits for that. */
async function untilChecked({ client }: Pick<Stage, 'client'>, thread: TestThread): Promise<void> {
  while ((await client.sandboxes.get(thread.id)).latestReport?.status !== 'complete') await delay(50)
}

/** What bare containers need: the base image, and the pool for their disks. */
export async function placeOf({ diskDirectory, installation }: Pick<Stage['host'], 'diskDirectory' | 'installation'>) {
  const images = path.join(diskDirectory, 'pool/images')
  const [image = ''] = await readdir(images)
  return { imageRoot: path.join(images, image, 'root'), diskDirectory, installation }
}

/** Starts a process in a thread that holds the given memory; returns once it does. */
export async function holdIn(thread: TestThread, held: Held): Promise<void> {
  const command = holdingCommand(held).map((word) => `'${word}'`)
  await thread.say(`/run rm -f /dev/shm/ready; ${command.join(' ')} > /dev/null 2>&1 &`)
  const { calls } = await thread.say('/run until [ -e /dev/shm/ready ]; do sleep 0.1; done')
  if (calls[0]?.status !== 'succeeded') throw new Error(`nothing is held: ${calls[0]?.output.tail}`)
}

/** Removes a paused sandbox from RAM, as the kernel can: its image is left. */
export async function dropFrozen({ host }: Pick<Stage, 'host'>, sandboxId: string): Promise<void> {
  using events = await host.events()
  await host.killSandbox(sandboxId)
  await events.next((event) => event.type === 'frozen-dropped' && event.sandboxId === sandboxId)
}

/** How long the sandbox stood still in its last pause: the host returns the same for a repeated order. */
async function lastStallMs({ host }: Stage, sandboxId: string): Promise<number> {
  const { body } = await host.request('GET', hostPaths.get(sandboxId))
  const { bootId } = body as { bootId: string }
  const paused = await host.request('POST', hostPaths.pause(sandboxId), { bootId })
  return (paused.body as { stallMs: number }).stallMs
}

/** Resolves when the memory of a paused thread was discarded. */
export async function untilCold({ client }: Pick<Stage, 'client'>, thread: TestThread): Promise<void> {
  while ((await client.threads.get(thread.id)).sandbox.state !== 'cold') await delay(50)
}
