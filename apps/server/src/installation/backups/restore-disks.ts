import { createReadStream } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createZstdCompress } from 'node:zlib'
import type { LostFile } from '@threadbox/backups'
import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import type { HostApi } from '@threadbox/protocol/host'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { type DiskRow, diskPathOf, diskRowSchema } from './disk-sources.ts'
import { forgetDisks, usedSandboxes } from './restored-rows.ts'

export type RestoredDisks = { disks: number; lost: LostFile[] }

/**
 * Gives the host the disks that were restored aside. Repeat it after an interruption: a disk that the host has is not sent again.
 * The host must know no sandbox of its own yet, and the server must not run: it would make empty disks for those that are missing.
 */
export async function restoreDisks(options: {
  host: Pick<HostApi, 'receiveDisk'>
  database: Kysely<unknown>
  staging: string
}): Promise<RestoredDisks> {
  const { host, database, staging } = options
  const text = await readFile(join(staging, 'disks.json'), 'utf8').catch(() => '[]')
  const rows = z.array(diskRowSchema).parse(JSON.parse(text))
  const lost: LostFile[] = []
  for (const row of rows) {
    const reason = await sendDisk(host, join(staging, diskPathOf(row.sandboxId)), row)
    if (reason !== null) lost.push({ path: diskPathOf(row.sandboxId), reason })
  }
  const known = new Set(rows.map(({ sandboxId }) => sandboxId))
  for (const sandboxId of await usedSandboxes(database)) {
    if (!known.has(sandboxId)) lost.push({ path: diskPathOf(sandboxId), reason: 'it is not in the backup' })
  }
  await forgetDisks(
    database,
    lost.map(({ path }) => path.slice('disks/'.length, -'.disk'.length)),
  )
  return {
    disks: rows.filter(({ sandboxId }) => !lost.some(({ path }) => path === diskPathOf(sandboxId))).length,
    lost,
  }
}

/** Null: the host has it. */
async function sendDisk(
  host: Pick<HostApi, 'receiveDisk'>,
  file: string,
  { sandboxId, imageId, limits }: DiskRow,
): Promise<string | null> {
  const content = Readable.from(readParts(file)).compose(createZstdCompress()) as Readable
  try {
    await host.receiveDisk(sandboxId, { imageId, limits }, Readable.toWeb(content) as ReadableStream<Uint8Array>)
    await rm(file, { force: true })
    return null
  } catch (error) {
    if (isErrorOf({ code: 'environment.id-taken' }, error)) return null
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'its content is damaged in the store'
    if (isThreadboxError(error)) return error.message
    throw error
  } finally {
    content.destroy()
  }
}

async function* readParts(file: string): AsyncIterable<Buffer> {
  yield* createReadStream(file, { highWaterMark: 1024 * 1024 })
}
