import { hostPaths } from '@threadbox/protocol/host'
import { startInstallation } from '../../stack/installation.ts'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import { makeRawMemory } from '../floors/raw-memory.ts'
import type { Stage } from '../stage.ts'
import { holdIn, placeOf } from './pausing.ts'

/** gVisor writes such files into the image in small pieces: some tens of milliseconds for each megabyte. */
const held = { megabytes: 1, deletedMegabytes: 8 }

/**
 * A thread in which a process holds a deleted file open: pausing it, and waking it from its image. On an installation
 * that keeps nothing frozen in RAM: killing a frozen copy would not close such a file in order.
 */
export async function deletedOpenFiles({ rounds }: Stage): Promise<Figure[]> {
  const what = `a deleted file of ${held.deletedMegabytes} MiB open`
  const pause = emptyFigure({
    id: 'pause-deleted-open',
    title: `Pause with ${what}, nothing kept in RAM`,
    floorTitle: 'runsc pause and checkpoint of the same process, and a sync of the image',
    target: null,
  })
  const wake = emptyFigure({
    id: 'wake-deleted-open',
    title: `Message to a thread paused with ${what} until its command has ended, from disk`,
    floorTitle: 'runsc restore of the same process, and the same command as a call to the guest of an awake sandbox',
    target: null,
  })
  await using installation = await startInstallation({ hostEnvironment: { THREADBOX_FROZEN_COPIES: 'off' } })
  const { host, client } = installation
  await using raw = await makeRawMemory({ ...(await placeOf(host)), held })
  const thread = await installation.newThread()
  await holdIn(thread, held)
  const { body } = await host.request('GET', hostPaths.list())
  const sandboxId = (body as { sandboxes: { sandboxId: string }[] }).sandboxes[0]?.sandboxId ?? ''
  for (let round = 0; round < rounds; round++) {
    const commandMs = await timed(() => host.run(sandboxId, 'true'))
    pause.floorSamples.push((await raw.saveMs()).syncedMs)
    pause.samples.push(await timed(() => client.sandboxes.pause(thread.id)))
    wake.floorSamples.push(commandMs + (await raw.restoreMs()))
    wake.samples.push(await timed(() => thread.say('/run true')))
  }
  return [pause, wake]
}
