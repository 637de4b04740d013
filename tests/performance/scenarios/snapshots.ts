import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeId } from '@threadbox/domain'
import { hostPaths, type SnapshotMemoryOrder, type TakenSnapshot } from '@threadbox/protocol/host'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import { checkpointBare } from '../floors/bare-checkpoint.ts'
import { rawSnapshotsMs } from '../floors/raw-disk.ts'
import { makeRawMemory } from '../floors/raw-memory.ts'
import { commonOf, type Stage } from '../stage.ts'
import { holdIn, placeOf } from './pausing.ts'

const run = promisify(execFile)
const MiB = 1024 * 1024

/** A turn that wrote 1 MiB: the cost of keeping its disk, in time and in bytes. */
export async function snapshots(stage: Stage): Promise<Figure[]> {
  const { host } = stage
  const { imageRoot, diskDirectory } = await placeOf(host)
  const raw = path.join(diskDirectory, `pool/raw-snapshots-${randomUUID()}`)
  await run('btrfs', ['subvolume', 'snapshot', imageRoot, raw])
  const { thread, sandboxId } = await stage.newAwakeThread()
  const figures = figuresOf()
  const copies: string[] = []
  try {
    await stage.untilSparesWait()
    await take(stage, sandboxId)
    await run('btrfs', ['filesystem', 'sync', raw])
    let before = await usedBytes(stage, sandboxId)
    for (let round = 0; round < stage.rounds; round++) {
      await writeFile(path.join(raw, `file-${round}`), randomBytes(MiB))
      copies.push(`${raw}-${round}`)
      const floorMs = await timed(() => run('btrfs', ['subvolume', 'snapshot', '-r', raw, `${raw}-${round}`]))
      await host.run(sandboxId, `head -c ${MiB} /dev/urandom > /home/user/file-${round}`)
      figures.taken.samples.push(await timed(() => take(stage, sandboxId)))
      figures.taken.floorSamples.push(floorMs)
      figures.unchanged.samples.push(await timed(() => take(stage, sandboxId)))
      figures.unchanged.floorSamples.push(floorMs)
      await run('btrfs', ['filesystem', 'sync', raw])
      const after = await usedBytes(stage, sandboxId)
      figures.bytes.samples.push((after - before) / MiB)
      before = after
      figures.bytes.floorSamples.push(1)
    }
  } finally {
    for (const copy of [...copies, raw]) await run('btrfs', ['subvolume', 'delete', copy]).catch(() => undefined)
    await stage.removeThreads(thread.id)
  }
  return Object.values(figures)
}

function figuresOf() {
  const floorTitle = 'btrfs subvolume snapshot of a disk with as much written'
  return {
    taken: emptyFigure({
      id: 'snapshot-turn',
      title: 'Snapshot of the disk after a turn that wrote 1 MiB: change check, snapshot, written bytes, usage',
      floorTitle,
      target: null,
      aimP50: 50,
    }),
    unchanged: emptyFigure({
      id: 'snapshot-unchanged',
      title: 'The same after a turn that wrote nothing: no snapshot',
      floorTitle,
      target: null,
    }),
    bytes: {
      ...emptyFigure({
        id: 'snapshot-bytes',
        title: 'Growth of a disk after a turn that wrote 1 MiB, with the snapshot',
        floorTitle: 'the bytes that were written',
        target: { maxRatio: 1.2 },
      }),
      unit: 'MiB' as const,
    },
  }
}

/** The same with the memory of a sandbox that holds 64 MiB, and a rewind to that snapshot. */
export async function snapshotMemory(stage: Stage): Promise<Figure[]> {
  const { host, client } = stage
  const place = await placeOf(host)
  const held = { megabytes: 64 }
  await using raw = await makeRawMemory({ ...place, held })
  const { thread, sandboxId } = await stage.newAwakeThread()
  await holdIn(thread, held)
  await stage.untilSnapshotTaken(thread.id)
  await stage.untilSparesWait()
  const { order, stall, bytes, rewind } = memoryFigures()
  // Asking more often makes the machine busy, and memory is saved once it isn’t.
  const { untilSnapshotTaken } = commonOf(stage, { withMemory: true, pollMs: 500 })
  try {
    for (let round = 0; round < stage.rounds; round++) {
      const { savedMs, syncedMs } = await raw.saveMs()
      const bare = await checkpointBare(stage, sandboxId)
      const snapshotsMs = await rawSnapshotsMs(place)
      const memory = { maxBytes: 1024 * MiB }
      let taken: TakenSnapshot | undefined
      order.samples.push(
        await timed(async () => {
          taken = await take(stage, sandboxId, memory)
        }),
      )
      if (taken?.memoryProblem !== null) throw new Error(`no memory was saved: ${JSON.stringify(taken)}`)
      stall.samples.push(taken.stallMs)
      stall.floorSamples.push(bare.savedMs + snapshotsMs)
      order.floorSamples.push(savedMs + snapshotsMs + syncedMs)
      bytes.samples.push((taken.snapshot.memoryBytes ?? Number.NaN) / MiB)
      bytes.floorSamples.push(bare.bytes / MiB)
      await host.request('DELETE', hostPaths.removeSnapshot(sandboxId, taken.snapshot.snapshotId))

      await thread.say('/run true')
      await untilSnapshotTaken(thread.id)
      const { entries } = await thread.say('/run true')
      await untilSnapshotTaken(thread.id)
      const message = entries.find(({ kind }) => kind === 'user-message')
      rewind.floorSamples.push((await raw.restoreMs()) + (await rawSnapshotsMs(place, 2)))
      rewind.samples.push(await timed(() => client.threads.rewind(thread.id, message?.id ?? '')))
      const { sandbox } = await client.sandboxes.get(thread.id)
      if (sandbox.state !== 'active') throw new Error(`the rewind has no memory: it is ${sandbox.state}`)
    }
  } finally {
    await stage.removeThreads(thread.id)
  }
  return [order, stall, bytes, rewind]
}

function memoryFigures() {
  const floorTitle = 'runsc pause and checkpoint of the same process, and a snapshot of its disk'
  return {
    order: emptyFigure({
      id: 'snapshot-memory',
      title: 'Snapshot of the disk with the memory of a sandbox that holds 64 MiB, until both are durable',
      floorTitle: `${floorTitle}, and a sync of the image`,
      target: null,
    }),
    stall: emptyFigure({
      id: 'snapshot-memory-stall',
      title: 'How long that sandbox is frozen for it',
      floorTitle: `runsc pause and checkpoint of that sandbox, and a snapshot of its disk`,
      target: { maxRatio: 1.3 },
      aimP50: 500,
    }),
    bytes: {
      ...emptyFigure({
        id: 'snapshot-memory-bytes',
        title: 'Image of that memory',
        floorTitle: 'runsc checkpoint of that sandbox',
        target: { maxRatio: 1.3 },
      }),
      unit: 'MiB' as const,
    },
    rewind: emptyFigure({
      id: 'rewind-memory',
      title: 'Rewind of that thread by one message, until its processes run again',
      floorTitle: 'runsc restore of the same process, and two snapshots of its disk',
      target: null,
    }),
  }
}

async function take({ host }: Stage, sandboxId: string, memory: SnapshotMemoryOrder = null): Promise<TakenSnapshot> {
  const snapshotId = makeId('snapshot', randomBytes)
  const answer = await host.request('POST', hostPaths.snapshots(sandboxId), { snapshotId, memory })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return answer.body as TakenSnapshot
}

async function usedBytes({ host }: Stage, sandboxId: string): Promise<number> {
  const { body } = await host.request('GET', `${hostPaths.get(sandboxId)}?usage=true`)
  return (body as { diskUsedBytes: number }).diskUsedBytes
}
