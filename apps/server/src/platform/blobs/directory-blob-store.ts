import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { cp, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { defineError } from '@threadbox/errors'
import type { BlobStore } from './blob-store.ts'

export const blobKeyInvalid = defineError<{ key: string }>({
  code: 'blob.key-invalid',
  kind: 'internal',
  message: ({ key }) => `${key} is not a valid blob key.`,
  remedy: () => 'This is a bug in threadbox. Report it with the request ID.',
})

export const blobOffsetInvalid = defineError<{ offset: number; sizeBytes: number }>({
  code: 'blob.offset-invalid',
  kind: 'internal',
  message: ({ offset, sizeBytes }) => `Can’t append at offset ${offset} to a blob of ${sizeBytes} bytes.`,
  remedy: () => 'This is a bug in threadbox. Report it with the request ID.',
})

/**
 * Stores blobs as files below one directory. A complete blob is written to a draft beside its path, synced, and
 * renamed.
 */
export function makeDirectoryBlobStore(directory: string): BlobStore {
  const pathOf = (key: string) => {
    const isPlain = /^[a-z0-9][a-z0-9/._-]*$/.test(key) && !key.split('/').some((part) => /^\.{0,2}$/.test(part))
    if (!isPlain) throw blobKeyInvalid({ key: key.slice(0, 200) })
    return join(directory, key)
  }
  return {
    put: async (key, content) => {
      const path = pathOf(key)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      // A draft that a crash leaves behind is in the blob's folder and is deleted with it.
      const draft = `${path}.draft-${randomBytes(6).toString('hex')}`
      try {
        const written = await writeAll(draft, content)
        await rename(draft, path)
        await syncDirectory(dirname(path))
        return written
      } catch (error) {
        await rm(draft, { force: true })
        throw error
      }
    },
    get: async (key, range) => {
      const file = await open(pathOf(key), 'r').catch(undefinedIfMissing)
      if (file === undefined) return undefined
      const { size } = await file.stat()
      const start = Math.min(range?.offset ?? 0, size)
      const end = range?.length === undefined ? size : Math.min(start + range.length, size)
      if (start >= end) {
        await file.close()
        return { stream: new Blob([]).stream(), sizeBytes: size }
      }
      const stream = file.createReadStream({ start, end: end - 1, highWaterMark: 256 * 1024 })
      return { stream: Readable.toWeb(stream) as ReadableStream<Uint8Array>, sizeBytes: size }
    },
    copyAll: (from, to) => copyAll(pathOf(from), pathOf(to)),
    append: (key, offset, content) => append(pathOf(key), offset, content),
    list: (prefix) => list(pathOf(prefix)),
    delete: async (key) => {
      await rm(pathOf(key), { force: true })
    },
    deleteAll: async (prefix) => {
      await rm(pathOf(prefix), { recursive: true, force: true })
    },
  }
}

async function copyAll(from: string, to: string): Promise<void> {
  const found = await stat(from).catch(undefinedIfMissing)
  if (found === undefined) return
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE })
  const copies = found.isDirectory() ? (await readdir(to, { recursive: true })).map((name) => join(to, name)) : [to]
  for (const copy of [...copies, dirname(to)]) await syncDirectory(copy)
}

async function writeAll(path: string, content: ReadableStream<Uint8Array> | Uint8Array) {
  const file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    for await (const part of content instanceof Uint8Array ? [content] : content) {
      hash.update(part)
      await writePart(file, part)
      sizeBytes += part.byteLength
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { sizeBytes, sha256: hash.digest('hex') }
}

/** `write` can write less than requested, for example when the disk is nearly full. */
async function writePart(file: Awaited<ReturnType<typeof open>>, part: Uint8Array, position: number | null = null) {
  let done = 0
  while (done < part.byteLength) {
    const at = position === null ? null : position + done
    done += (await file.write(part, done, part.byteLength - done, at)).bytesWritten
  }
}

async function append(path: string, offset: number, content: Uint8Array): Promise<void> {
  const isNew = (await stat(path).catch(undefinedIfMissing)) === undefined
  const firstCreated = isNew ? await mkdir(dirname(path), { recursive: true, mode: 0o700 }) : undefined
  const file = await open(path, isNew ? 'a+' : 'r+', 0o600)
  try {
    const { size } = await file.stat()
    if (offset > size) throw blobOffsetInvalid({ offset, sizeBytes: size })
    if (offset < size) await file.truncate(offset)
    await writePart(file, content, offset)
    await file.datasync()
  } finally {
    await file.close()
  }
  if (!isNew) return
  await syncDirectory(dirname(path))
  // A new folder is an entry of the one above it, which a power cut would lose with all blobs below.
  for (let folder = dirname(path); firstCreated !== undefined; folder = dirname(folder)) {
    await syncDirectory(dirname(folder))
    if (folder === firstCreated || dirname(folder) === folder) break
  }
}

async function list(path: string): Promise<{ name: string; sizeBytes: number }[]> {
  const names = (await readdir(path).catch(undefinedIfMissing)) ?? []
  const blobs: { name: string; sizeBytes: number }[] = []
  for (const name of names.toSorted()) {
    const found = await stat(join(path, name)).catch(undefinedIfMissing)
    if (found?.isFile() === true) blobs.push({ name, sizeBytes: found.size })
  }
  return blobs
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined
  throw error
}
