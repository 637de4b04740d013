import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { timed } from '../figure.ts'

const run = promisify(execFile)

/** Time to create this many writable snapshots of the base image, in ms, one after another. Removes them. */
export async function rawSnapshotsMs(
  { imageRoot, diskDirectory }: { imageRoot: string; diskDirectory: string },
  count = 1,
): Promise<number> {
  const copies = Array.from({ length: count }, () => path.join(diskDirectory, `pool/raw-${randomUUID()}`))
  const tookMs = await timed(async () => {
    for (const copy of copies) await run('btrfs', ['subvolume', 'snapshot', imageRoot, copy])
  })
  for (const copy of copies) await run('btrfs', ['subvolume', 'delete', copy])
  return tookMs
}
