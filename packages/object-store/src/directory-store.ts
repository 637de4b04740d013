import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, type FileHandle, link, mkdir, open, readdir, readFile, realpath, rm, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import {
  storeFormatNewer,
  storeInsideInstallation,
  storeNameInvalid,
  storeNotAFolder,
  storeOfOtherProgram,
  storeReadOnly,
} from './object-store.errors.ts'
import {
  type ByteRange,
  isKnownFormat,
  isPlainName,
  type ObjectRow,
  type ObjectStore,
  storeFormat,
} from './object-store.ts'

export type DirectoryStoreOptions = {
  directory: string
  /** Folders of the installation, in which a store is refused. */
  outside: readonly string[]
}

const leaseFolder = 'lease'
const draftFolder = 'drafts'

/**
 * A store in a folder, for example on another disk. Objects are written as drafts, synced and linked into place, so that one
 * exists completely or not at all, and a second writer never replaces one.
 */
export async function openDirectoryStore({ directory, outside }: DirectoryStoreOptions): Promise<ObjectStore> {
  const root = await checkedFolder(directory, outside)
  await prepareFormat(root)
  const pathOf = (name: string) => {
    if (!isPlainName(name)) throw storeNameInvalid({ name: name.slice(0, 200) })
    return join(root, name)
  }
  return {
    place: directory,
    put: async (name, { body }) => await putFile(root, pathOf(name), body),
    get: async (name, range) => await readRange(pathOf(name), range),
    list: (prefix) => listFiles(root, prefix),
    delete: async (name) => {
      await rm(pathOf(name), { force: true })
    },
    readLease: async () => {
      const [last] = await leaseNumbers(root)
      if (last === undefined) return undefined
      return { text: await readFile(join(root, leaseFolder, last), 'utf8'), version: last }
    },
    writeLease: (text, over) => writeLease(root, text, over),
  }
}

async function checkedFolder(directory: string, outside: readonly string[]): Promise<string> {
  const place = directory
  const found = await stat(directory).catch(() => undefined)
  if (found === undefined || !found.isDirectory()) throw storeNotAFolder({ place })
  const root = await realpath(directory)
  for (const folder of outside) {
    const inside = await realpath(folder).then(
      (real) => !relative(real, root).startsWith('..'),
      () => false,
    )
    if (inside) throw storeInsideInstallation({ place })
  }
  await access(root, constants.W_OK).catch((cause: Error) => {
    throw storeReadOnly({ place, reason: cause.message }, { cause })
  })
  return root
}

async function prepareFormat(root: string): Promise<void> {
  const text = await readFile(join(root, 'format'), 'utf8').catch(undefinedIfMissing)
  if (text !== undefined) {
    const known = isKnownFormat(text)
    if (known === 'newer') throw storeFormatNewer({ place: root })
    if (known === 'unknown') throw storeOfOtherProgram({ place: root })
    await removeOldDrafts(join(root, draftFolder))
    return
  }
  const found = (await readdir(root)).filter((name) => name !== 'lost+found' && name !== draftFolder)
  if (found.length > 0) throw storeOfOtherProgram({ place: root })
  await putFile(root, join(root, 'format'), new Blob([`${storeFormat}\n`]))
}

/** Of a writer that was ended while it wrote: those of a running one are younger. */
async function removeOldDrafts(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    const found = await stat(join(folder, name)).catch(undefinedIfMissing)
    if (found !== undefined && Date.now() - found.mtimeMs > 24 * 3600 * 1000)
      await rm(join(folder, name), { force: true })
  }
}

async function putFile(root: string, path: string, body: Blob): Promise<'stored' | 'existed'> {
  await mkdir(join(root, draftFolder), { recursive: true, mode: 0o700 })
  const draft = join(root, draftFolder, randomBytes(9).toString('hex'))
  try {
    await writeSynced(draft, body)
    const made = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      await link(draft, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return 'existed'
      throw error
    }
    for (let folder = dirname(path); ; folder = dirname(folder)) {
      await syncFolder(folder)
      if (made === undefined || folder === root || !relative(root, folder)) return 'stored'
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (['EACCES', 'EPERM', 'EROFS'].includes(code)) {
      throw storeReadOnly({ place: root, reason: (error as Error).message }, { cause: error })
    }
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeSynced(path: string, body: Blob): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const part of body.stream()) await writePart(file, part)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** `write` can write less than requested, for example when the disk is nearly full. */
async function writePart(file: FileHandle, part: Uint8Array): Promise<void> {
  for (let done = 0; done < part.byteLength; ) {
    done += (await file.write(part, done, part.byteLength - done)).bytesWritten
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function readRange(path: string, range: ByteRange | undefined): Promise<ReadableStream<Uint8Array> | undefined> {
  const file = await open(path, 'r').catch(undefinedIfMissing)
  if (file === undefined) return undefined
  const { size } = await file.stat()
  const start = Math.min(range?.offset ?? 0, size)
  const end = range === undefined ? size : Math.min(start + range.length, size)
  if (start >= end) {
    await file.close()
    return new Blob([]).stream()
  }
  const stream = file.createReadStream({ start, end: end - 1, highWaterMark: 1024 * 1024 })
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>
}

async function* listFiles(root: string, prefix: string): AsyncIterable<ObjectRow> {
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true }).catch(undefinedIfMissing)
  for (const entry of entries ?? []) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(root, path)
    const isObject = entry.isFile() && ![leaseFolder, draftFolder].includes(name.split('/')[0] ?? '')
    if (!isObject || !name.startsWith(prefix)) continue
    const found = await stat(path).catch(undefinedIfMissing)
    if (found !== undefined) yield { name, sizeBytes: found.size, modifiedAt: found.mtimeMs }
  }
}

/** The last one first. */
async function leaseNumbers(root: string): Promise<string[]> {
  const names = await readdir(join(root, leaseFolder)).catch(undefinedIfMissing)
  return (names ?? [])
    .filter((name) => /^\d{12}$/.test(name))
    .toSorted()
    .toReversed()
}

/** Each version is a file of the next number, which only one writer can link; the last two stay. */
async function writeLease(root: string, text: string, over: string | undefined): Promise<string | undefined> {
  if ((await leaseNumbers(root))[0] !== over) return undefined
  const next = String(Number(over ?? 0) + 1).padStart(12, '0')
  const stored = await putFile(root, join(root, leaseFolder, next), new Blob([text]))
  const [last, , ...older] = await leaseNumbers(root)
  if (stored === 'existed' || last !== next) return undefined
  for (const name of older) await rm(join(root, leaseFolder, name), { force: true })
  return next
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw error
}
