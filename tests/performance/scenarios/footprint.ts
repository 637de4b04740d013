import { hostPaths } from '@threadbox/protocol/host'
import { bootOf, heldMemory } from '../cost/held-memory.ts'
import { emptyFigure, type Figure } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { MiB } from './memory.ts'

/** The cost of a spare, and of a paused sandbox: in RAM and on the disk. */
export async function footprint(stage: Stage): Promise<Figure[]> {
  const watched = { floorTitle: null, target: null }
  const inMiB = (id: string, title: string): Figure => ({ ...emptyFigure({ id, title, ...watched }), unit: 'MiB' })
  const pooled = inMiB('memory-pooled', 'Memory of a spare that can’t be reclaimed')
  const frozen = inMiB('memory-frozen', 'Memory of a paused sandbox that is frozen in RAM, which can’t be reclaimed')
  const image = inMiB('disk-image', 'Memory image of a paused sandbox on disk')
  const disk = inMiB('disk-files', 'Files of a paused sandbox on disk beyond the base image')
  for (let round = 0; round < stage.rounds; round++) {
    await stage.untilSparesWait()
    const { installation } = stage.host
    const before = await heldMemory(installation)
    const { thread, sandboxId } = await stage.newAwakeThread()
    const boot = await bootOf(stage.host, sandboxId)
    pooled.samples.push((before.get(boot) ?? Number.NaN) / MiB)
    await stage.client.sandboxes.pause(thread.id)
    frozen.samples.push(((await heldMemory(installation)).get(boot) ?? Number.NaN) / MiB)
    const { body } = await stage.host.request('GET', `${hostPaths.get(sandboxId)}?usage=true`)
    const found = body as { diskUsedBytes: number; paused: { imageBytes: number } }
    image.samples.push(found.paused.imageBytes / MiB)
    disk.samples.push(found.diskUsedBytes / MiB)
    await stage.client.threads.delete(thread.id)
  }
  return [pooled, frozen, image, disk]
}
