import { emptyFigure, type Figure, timed } from '../figure.ts'
import { rawSnapshotsMs } from '../floors/raw-disk.ts'
import { makeRawMemory } from '../floors/raw-memory.ts'
import type { Stage } from '../stage.ts'
import { holdIn, placeOf } from './pausing.ts'

/** A thread that holds 64 MiB is forked while it runs. */
export function forkingSmall(stage: Stage): Promise<Figure[]> {
  return forking(stage, { megabytes: 64, title: '64 MiB', aimP50: 500 })
}

/** The same with 1 GiB held. */
export function forkingLarge(stage: Stage): Promise<Figure[]> {
  return forking(stage, { megabytes: 1024, title: '1 GiB', aimP50: 1500 })
}

async function forking(
  stage: Stage,
  { megabytes, title, aimP50 }: { megabytes: number; title: string; aimP50: number },
): Promise<Figure[]> {
  const place = await placeOf(stage.host)
  await using raw = await makeRawMemory({ ...place, held: { megabytes } })
  const { thread } = await stage.newAwakeThread()
  await holdIn(thread, { megabytes })
  await stage.untilSnapshotTaken(thread.id)
  await stage.untilSparesWait()
  const figure = emptyFigure({
    id: `fork-${megabytes}`,
    title: `Fork of a running thread that holds ${title}, until the second one is running`,
    floorTitle: 'runsc checkpoint of the same process, restore beside it, and a snapshot of its disk',
    target: null,
    aimP50,
  })
  for (let round = 0; round < stage.rounds; round++) {
    const { savedMs } = await raw.saveMs()
    const diskMs = await rawSnapshotsMs(place)
    figure.floorSamples.push(savedMs + diskMs + (await raw.copyMs()))
    let forkId = ''
    figure.samples.push(
      await timed(async () => {
        const fork = await stage.client.threads.fork(thread.id)
        if (fork.forkedFrom?.from !== 'memory') throw new Error(`a fork has only files: ${JSON.stringify(fork)}`)
        forkId = fork.id
      }),
    )
    await stage.removeThreads(forkId)
  }
  await stage.removeThreads(thread.id)
  return [figure]
}
