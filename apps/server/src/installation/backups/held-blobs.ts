import { createReadStream } from 'node:fs'
import { link, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { SourceFile } from '@threadbox/backups'

/**
 * Blobs that stay readable while the server deletes: hard links to them. Taken before the database is copied and completed after
 * it, so that it has every blob that the copy names, whatever is deleted or added while it is read.
 */
export type HeldBlobs = {
  /** Adds blobs that are new since. */
  complete(): Promise<void>
  files(): AsyncIterable<SourceFile>
}

/** Pieces of 4 MiB: a blob is written once, or grows at its end. */
const pieceBytes = 4 * 1024 * 1024
/** Of a writer: `<name>.draft-<hex>`. */
const isDraft = (name: string) => /\.draft-[0-9a-f]+$/.test(name)

export async function holdBlobs(blobs: string, holdDirectory: string): Promise<HeldBlobs> {
  await rm(holdDirectory, { recursive: true, force: true })
  await mkdir(holdDirectory, { recursive: true, mode: 0o700 })
  const complete = async () => {
    for await (const path of filesBelow(blobs)) {
      const target = join(holdDirectory, path)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      await link(join(blobs, path), target).catch((error: NodeJS.ErrnoException) => {
        // Already held, or deleted since the folder was read.
        if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
      })
    }
  }
  await complete()
  return {
    complete,
    files: async function* () {
      for await (const path of filesBelow(holdDirectory)) {
        const file = join(holdDirectory, path)
        const { size, mtimeMs, ino } = await stat(file)
        yield {
          path: `blobs/${path}`,
          version: `${ino} ${size} ${mtimeMs}`,
          chunkBytes: pieceBytes,
          // Bytes that are appended while it is read are not part of it.
          open: async () => createReadStream(file, size === 0 ? {} : { end: size - 1 }),
        }
      }
    },
  }
}

async function* filesBelow(root: string): AsyncIterable<string> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  for (const entry of entries) {
    if (entry.isFile() && !isDraft(entry.name)) yield relative(root, join(entry.parentPath, entry.name))
  }
}
