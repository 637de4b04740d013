import { open, readFile, rename } from 'node:fs/promises'
import { z } from 'zod'
import { type ChainPoint, isIntactPoint, pointMacOf } from './audit-chain.logic.ts'

/**
 * The end of the chain in a file beside the database: without it, rows could be removed from the end together with the
 * database’s own record of the end. It can be behind the database, because it is written after each commit.
 */
export type AuditHeadFile = {
  read(): Promise<ChainPoint | 'missing' | 'invalid'>
  /** Writes this point, or a later one that is given before the write starts. */
  write(point: ChainPoint): void
  /** Returns when everything is written. Throws if the last write failed. */
  settled(): Promise<void>
}

/** What the key of rows and of the file is derived for. */
export const auditKeyPurpose = 'threadbox audit v1'

const schema = z.object({ seq: z.number().int().min(0), hash: z.string(), mac: z.string() })

export function makeAuditHeadFile(path: string, key: Uint8Array): AuditHeadFile {
  let next: ChainPoint | undefined
  let writing: Promise<void> | undefined
  let failure: unknown
  const writeAll = async () => {
    while (next !== undefined) {
      const point = next
      next = undefined
      const draft = `${path}.new`
      const text = JSON.stringify({ seq: point.seq, hash: point.hash, mac: pointMacOf(point, key) })
      failure = await writeSynced(draft, `${text}\n`)
        .then(() => rename(draft, path))
        .then(
          () => undefined,
          (error: unknown) => error,
        )
    }
    writing = undefined
  }
  return {
    read: async () => {
      const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      return text === undefined ? 'missing' : parse(text, key)
    },
    write: (point) => {
      if (next === undefined || point.seq > next.seq) next = point
      writing ??= writeAll()
    },
    settled: async () => {
      while (writing !== undefined) await writing
      if (failure !== undefined) throw failure
    },
  }
}

/** Synced before it is renamed: after a power cut the file is the old or the new one, never empty. */
async function writeSynced(path: string, text: string): Promise<void> {
  await using file = await open(path, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
}

function parse(text: string, key: Uint8Array): ChainPoint | 'invalid' {
  try {
    const point = schema.safeParse(JSON.parse(text))
    if (!point.success || !isIntactPoint(point.data, key)) return 'invalid'
    return { seq: point.data.seq, hash: point.data.hash }
  } catch {
    return 'invalid'
  }
}
