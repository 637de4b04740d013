import { DatabaseSync } from 'node:sqlite'
import { makeDirectoryBlobStore } from '../../platform/blobs/directory-blob-store.ts'
import { openOutputWriter } from './output-writer.ts'

/**
 * A writer in a process of its own that continues from the recorded number and kills itself at a boundary of one of its
 * rounds. Started as `node FILE DIRECTORY BOUNDARY ROUND`; without a boundary it writes to the end.
 */
export const written = { bytes: 700_001, roundBytes: 70_000, headBytes: 100_000, tailBytes: 80_000 }

/** The byte at each offset differs from its neighbors and from those at the distances of rounds and segments. */
export function patternBytes(from: number, to: number): Uint8Array {
  return Uint8Array.from({ length: to - from }, (_, index) => ((from + index) * 2_654_435_761) >>> 13)
}

async function main(directory: string, boundary: string, lastRound: number): Promise<void> {
  const blobs = makeDirectoryBlobStore(`${directory}/blobs`)
  const database = new DatabaseSync(`${directory}/record.sqlite`)
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; create table if not exists calls (bytes integer)',
  )
  const recorded = database.prepare('select max(bytes) as bytes from calls').get() as { bytes: number | null }
  let sizeBytes = recorded.bytes ?? 0
  const limits = async () => ({ headBytes: written.headBytes, tailBytes: written.tailBytes, from: 'call' as const })
  const die = (at: string, round: number) => {
    if (at === boundary && round === lastRound) process.kill(process.pid, 'SIGKILL')
  }
  const writer = await openOutputWriter(blobs, { key: 'outputs/t/c', sizeBytes, limits })
  for (let round = 0; sizeBytes < written.bytes; round++) {
    const end = Math.min(written.bytes, sizeBytes + written.roundBytes)
    await writer.append(patternBytes(sizeBytes, end))
    die('appended', round)
    sizeBytes = end
    database.prepare('insert into calls values (?)').run(sizeBytes)
    die('recorded', round)
    await writer.prune()
    die('pruned', round)
  }
  process.stdout.write(JSON.stringify({ ...writer.kept(), limit: writer.limit() }))
}

if (import.meta.main) {
  const [, , directory = '', boundary = '', round = '0'] = process.argv
  await main(directory, boundary, Number(round))
}
