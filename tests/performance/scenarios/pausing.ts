import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { type Figure, timed } from '../figure.ts'
import { makeRawMemory } from '../floors/raw-memory.ts'
import type { Stage } from '../stage.ts'

const samples = 30

type Kind = { megabytes: number; title: string; wakeFromDisk: Figure['target'] }
const sizes: Kind[] = [
  { megabytes: 64, title: '64 MiB', wakeFromDisk: { maxRatio: 1.5, maxP50: 1000 } },
  { megabytes: 1024, title: '1 GiB', wakeFromDisk: { maxRatio: 1.5, maxP50: 1000 } },
]

/**
 * A thread that is paused and gets a message: until its command has printed, from RAM and from disk; and how long the
 * pause took. Each beside what bare runsc needs for a process of the same size, in turn.
 */
export async function pausing(stage: Stage): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const kind of sizes) figures.push(...(await measureSize(stage, kind)))
  return figures
}

async function measureSize(stage: Stage, { megabytes, title, wakeFromDisk }: Kind): Promise<Figure[]> {
  const images = path.join(stage.host.diskDirectory, 'pool/images')
  const [image = ''] = await readdir(images)
  await using raw = await makeRawMemory({
    imageRoot: path.join(images, image, 'root'),
    diskDirectory: stage.host.diskDirectory,
    installation: stage.host.installation,
    megabytes,
  })
  const { thread, sandboxId } = await stage.newAwakeThread()
  await thread.say(`/python held = bytearray(__import__('os').urandom(1 << 20)) * ${megabytes}`)
  const pause = figureOf({
    id: `pause-${megabytes}`,
    title: `Pause with ${title} of live memory`,
    floorTitle: 'runsc pause and checkpoint of a process of that size',
    target: { maxRatio: 1.3 },
  })
  const fromRam = figureOf({
    id: `wake-frozen-${megabytes}`,
    title: `Message to a paused thread until its command has ended, from RAM, ${title}`,
    floorTitle: 'runsc resume, and the same command by a call to the guest of an awake sandbox',
    target: { maxRatio: 2 },
  })
  const fromDisk = figureOf({
    id: `wake-memory-${megabytes}`,
    title: `Message to a paused thread until its command has ended, from disk, ${title}`,
    floorTitle: 'runsc restore, and the same command by a call to the guest of an awake sandbox',
    target: wakeFromDisk,
  })
  const command = () => timed(() => stage.host.run(sandboxId, 'true'))
  for (let round = 0; round < samples; round++) {
    const commandMs = await command()
    pause.floorSamples.push(await raw.saveMs())
    pause.samples.push(await timed(() => stage.client.sandboxes.pause(thread.id)))
    const isFromDisk = round % 2 === 1
    const figure = isFromDisk ? fromDisk : fromRam
    if (isFromDisk) await stage.host.killSandbox(sandboxId)
    figure.floorSamples.push(commandMs + (isFromDisk ? await raw.restoreMs() : await raw.resumeMs()))
    figure.samples.push(await timed(() => thread.say('/run true')))
  }
  await stage.client.threads.delete(thread.id)
  return [pause, fromRam, fromDisk]
}

function figureOf(about: Pick<Figure, 'id' | 'title' | 'floorTitle' | 'target'>): Figure {
  return { ...about, unit: 'ms', samples: [], floorSamples: [] }
}
