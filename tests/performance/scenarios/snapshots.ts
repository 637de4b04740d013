import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { makeId } from '@threadbox/domain'
import { hostPaths, type TakenSnapshot } from '@threadbox/protocol/host'
import { emptyFigure, type Figure, timed } from '../figure.ts'
import type { Stage } from '../stage.ts'
import { placeOf } from './pausing.ts'

const run = promisify(execFile)
const MiB = 1024 * 1024

/** A turn that wrote 1 MiB: what keeping its disk costs, in time and in bytes. */
export async function snapshots(stage: Stage): Promise<Figure[]> {
  const { host } = stage
  const { imageRoot, diskDirectory } = await placeOf(host)
  const raw = path.join(diskDirectory, `pool/raw-snapshots-${randomUUID()}`)
  await run('btrfs', ['subvolume', 'snapshot', imageRoot, raw])
  const { thread, sandboxId } = await stage.newAwakeThread()
  const figures = figuresOf()
  const copies: string[] = []
  try {
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
    await stage.client.threads.delete(thread.id)
  }
  return Object.values(figures)
}

function figuresOf() {
  const floorTitle = 'btrfs subvolume snapshot of a disk with as much written'
  return {
    taken: emptyFigure({
      id: 'snapshot-turn',
      title: 'Snapshot of the disk after a turn that wrote 1 MiB: is it changed, snapshot, what was written, usage',
      floorTitle,
      target: null,
      aimP50: 50,
    }),
    unchanged: emptyFigure({
      id: 'snapshot-unchanged',
      title: 'The same after a turn that wrote nothing: none is made',
      floorTitle,
      target: null,
    }),
    bytes: {
      ...emptyFigure({
        id: 'snapshot-bytes',
        title: 'What a disk takes more after a turn that wrote 1 MiB, with the snapshot',
        floorTitle: 'the bytes that were written',
        target: { maxRatio: 1.2 },
      }),
      unit: 'MiB' as const,
    },
  }
}

async function take({ host }: Stage, sandboxId: string): Promise<TakenSnapshot> {
  const snapshotId = makeId('snapshot', randomBytes)
  const answer = await host.request('POST', hostPaths.snapshots(sandboxId), { snapshotId })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return answer.body as TakenSnapshot
}

async function usedBytes({ host }: Stage, sandboxId: string): Promise<number> {
  const { body } = await host.request('GET', `${hostPaths.sandbox(sandboxId)}?usage=true`)
  return (body as { diskUsedBytes: number }).diskUsedBytes
}
