import { Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import type { Manifest, SourceFile } from '@threadbox/backups'
import { isThreadboxError } from '@threadbox/errors'
import type { HostApi, HostSandbox } from '@threadbox/protocol/host'
import { z } from 'zod'

export type DiskHost = Pick<HostApi, 'list' | 'takeSnapshot' | 'removeSnapshot' | 'sendSnapshot'>

/** What the disk is made again from. */
export const diskRowSchema = z.object({
  sandboxId: z.string(),
  imageId: z.string(),
  limits: z.object({
    memoryBytes: z.number(),
    cpus: z.number(),
    processes: z.number(),
    diskBytes: z.number(),
  }),
  /** When its content was frozen. */
  at: z.number(),
})
export type DiskRow = z.infer<typeof diskRowSchema>

export const diskPathOf = (sandboxId: string) => `disks/${sandboxId}.disk`

export type DiskSources = {
  files(): AsyncIterable<SourceFile>
  /** Those that were stored. */
  rows: readonly DiskRow[]
  leftOut: Manifest['leftOut']
}

/**
 * The disks of all sandboxes of the host, each frozen for a moment as at the end of a turn: what runs in it continues. Each is
 * stored as its difference from its image.
 */
export function diskSources(host: DiskHost, newSnapshotId: () => string): DiskSources {
  const rows: DiskRow[] = []
  const leftOut: Manifest['leftOut'] = []
  return {
    rows,
    leftOut,
    files: async function* () {
      const sandboxes = await host.list().catch((error: Error) => {
        leftOut.push({ what: 'the disks of all sandboxes', reason: error.message })
        return []
      })
      for (const sandbox of sandboxes) {
        if (sandbox.isArchived === true) {
          const reason = 'it is in the archive store, which is not backed up'
          leftOut.push({ what: `the disk of ${sandbox.sandboxId}`, reason })
          continue
        }
        try {
          yield* frozen(sandbox, { host, newSnapshotId, rows })
        } catch (error) {
          // Such as that of a full disk.
          if (!isThreadboxError(error)) throw error
          leftOut.push({ what: `the disk of ${sandbox.sandboxId}`, reason: error.message })
        }
      }
    },
  }
}

type Freezing = { host: DiskHost; newSnapshotId: () => string; rows: DiskRow[] }

async function* frozen(
  { sandboxId, imageId, limits }: HostSandbox,
  { host, newSnapshotId, rows }: Freezing,
): AsyncIterable<SourceFile> {
  const order = { snapshotId: newSnapshotId(), memory: null, sharesMemory: true }
  const { snapshot, isNew } = await host.takeSnapshot(sandboxId, order)
  const { snapshotId } = snapshot
  try {
    yield {
      path: diskPathOf(sandboxId),
      // A snapshot that existed before has the disk's content: nothing was written since, and its id says which content.
      version: snapshotId,
      chunkBytes: 'by-content',
      // One disk that can’t be read must not keep the others out of the backup.
      isOptional: true,
      stored: () => rows.push({ sandboxId, imageId, limits, at: snapshot.at }),
      open: async () => {
        const sent = await host.sendSnapshot(sandboxId, snapshotId)
        return Readable.fromWeb(sent as Parameters<typeof Readable.fromWeb>[0]).compose(
          createZstdDecompress(),
        ) as AsyncIterable<Uint8Array>
      },
    }
  } finally {
    if (isNew) await host.removeSnapshot(sandboxId, snapshotId)
  }
}
