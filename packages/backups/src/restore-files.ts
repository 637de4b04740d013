import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ObjectStore } from '@threadbox/object-store'
import { backupDamaged } from './backups.errors.ts'
import type { Manifest } from './manifest.ts'
import { type LostFile, readFiles } from './read-files.ts'

/** Open files; a piece of a large backup is rarely far from the piece before it. */
const openFiles = 64

/**
 * Writes the files of a backup below an empty folder. Returns those that damaged objects cost, which are then missing there. The
 * folder can hold secrets, so only its owner can read what is in it.
 */
export async function restoreFiles(options: {
  store: ObjectStore
  manifest: Manifest
  identity: string
  directory: string
}): Promise<{ lost: LostFile[]; restored: number }> {
  const { manifest, directory } = options
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if ((await readdir(directory)).length > 0) throw new Error(`${directory} is not empty`)
  for (const { path } of manifest.files) {
    const isPlain = !path.startsWith('/') && !path.split('/').some((part) => /^\.{0,2}$/.test(part))
    if (!isPlain || path.includes('\0')) throw backupDamaged({ name: manifest.name, reason: 'it has an unusable path' })
  }
  const files = makeOpenFiles(directory)
  try {
    for (const { path, sizeBytes } of manifest.files) if (sizeBytes === 0) await files.at(path)
    const { lost, paths } = await readFiles({
      ...options,
      write: async ({ path, offset }, bytes) => {
        const file = await files.at(path)
        for (let done = 0; done < bytes.byteLength; ) {
          done += (await file.write(bytes, done, bytes.byteLength - done, offset + done)).bytesWritten
        }
      },
    })
    await files.close()
    for (const { path } of lost) await rm(join(directory, path), { force: true })
    return { lost, restored: paths.length }
  } finally {
    await files.close()
  }
}

function makeOpenFiles(directory: string): { at(path: string): Promise<FileHandle>; close(): Promise<void> } {
  const kept = new Map<string, FileHandle>()
  const closeOne = async (path: string, file: FileHandle) => {
    kept.delete(path)
    await file.sync()
    await file.close()
  }
  return {
    at: async (path) => {
      const known = kept.get(path)
      if (known !== undefined) return known
      const [oldest] = kept
      if (kept.size >= openFiles && oldest !== undefined) await closeOne(...oldest)
      const target = join(directory, path)
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      const file = await open(target, 'r+').catch(() => open(target, 'wx', 0o600))
      kept.set(path, file)
      return file
    },
    close: async () => {
      for (const [path, file] of kept) await closeOne(path, file)
    },
  }
}
