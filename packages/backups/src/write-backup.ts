import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObjectStore } from '@threadbox/object-store'
import { type Catalog, readCatalog, writeCatalog } from './catalog.ts'
import { type ChunkPacks, makeChunkPacks, piecesOf } from './chunk-packs.ts'
import { contentPieces } from './content-pieces.ts'
import { backupName, bytesOf, type FileRow, type Manifest, type PackRow } from './manifest.ts'
import type { MachineKeys } from './recovery-key.ts'
import { objectName } from './sealed-object.ts'
import { type StoreLease, takeLease } from './store-lease.ts'
import { writeManifest } from './stored-backups.ts'

/** A file to back up. */
export type SourceFile = {
  /** Its name in the backup. */
  path: string
  /** The same text as in the last backup: its content has not changed since. Undefined: read it. */
  version?: string
  /** Of the pieces: small for files that change in places, such as databases. `by-content`: for those in which content moves. */
  chunkBytes: number | 'by-content'
  /** Its bytes; null if it no longer exists. */
  open(): Promise<AsyncIterable<Uint8Array> | null>
  /** Whether the backup is made without it if its bytes can’t be read to their end. By default it then fails. */
  isOptional?: boolean
  /** Called when it is stored. */
  stored?(): void
}

export type BackupFacts = Pick<Manifest, 'version' | 'installation' | 'database' | 'counts' | 'leftOut'>

export type WriteBackupOptions = {
  store: ObjectStore
  keys: MachineKeys
  /** For the catalog and for parts that are being stored. */
  workDirectory: string
  holder: string
  id: string
  now: () => number
  /** Called with the lease taken; the files in the order in which they are stored. */
  collect(): Promise<{ files: AsyncIterable<SourceFile>; facts: () => BackupFacts }>
  packBytes?: number
  /** Called after each file with what was done so far. */
  progress?(done: { files: number; bytes: number }): void
}

export type WrittenBackup = {
  name: string
  /** What this backup added to the store. */
  storedBytes: number
  /** What the store has for it, shared with other backups. */
  sizeBytes: number
  totalBytes: number
  files: number
  leftOut: Manifest['leftOut']
}

/** Writes a backup. Until its index is stored, it doesn’t exist, and no other one depends on what was stored. */
export async function writeBackup(options: WriteBackupOptions): Promise<WrittenBackup> {
  const { store, now } = options
  const lease = await takeLease({ store, holder: options.holder, now })
  try {
    return await writeUnderLease(options, lease)
  } finally {
    await lease.release().catch(() => undefined)
  }
}

async function writeUnderLease(options: WriteBackupOptions, lease: StoreLease): Promise<WrittenBackup> {
  const { store, keys, workDirectory, now } = options
  const startedAt = now()
  const name = backupName(startedAt, options.id)
  const spoolDirectory = await emptySpool(workDirectory)
  const catalogFile = join(workDirectory, 'catalog.json')
  const before = await withoutMissing(await readCatalog(catalogFile), store)
  const packs = makeChunkPacks({
    store,
    recipient: keys.recipient,
    spoolDirectory,
    known: before.packs,
    beforePack: () => lease.renew(),
    ...(options.packBytes === undefined ? {} : { packBytes: options.packBytes }),
  })
  const { files, facts } = await options.collect()
  const gone: Manifest['leftOut'] = []
  const stored: Catalog['files'] = {}
  const done = { files: 0, bytes: 0 }
  for await (const file of files) {
    const row = await storeFile(file, { packs, before })
    done.files += 1
    if (typeof row !== 'string') done.bytes += row[1]
    options.progress?.(done)
    if (typeof row === 'string') gone.push({ what: file.path, reason: row })
    else stored[file.path] = row
    if (typeof row !== 'string') file.stored?.()
  }
  const { packs: all, files: rows } = manifestOf(await packs.finish(), stored)
  const { leftOut, ...known } = facts()
  const manifest: Manifest = {
    format: 1,
    name,
    startedAt,
    endedAt: now(),
    ...known,
    leftOut: [...leftOut, ...gone],
    packs: all,
    files: rows,
  }
  await lease.renew()
  const index = await writeManifest({ store, manifest, keys, spoolDirectory })
  await writeCatalog(catalogFile, { format: 1, packs: worthKeeping(all, rows), files: stored })
  const totalBytes = rows.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const storedBytes = packs.storedBytes()
  return {
    name,
    storedBytes,
    sizeBytes: bytesOf(index),
    totalBytes,
    files: rows.length,
    leftOut: manifest.leftOut,
  }
}

/** What a run that was ended left behind is removed. */
async function emptySpool(workDirectory: string): Promise<string> {
  const spool = join(workDirectory, 'spool')
  await mkdir(spool, { recursive: true, mode: 0o700 })
  for (const name of await readdir(spool)) await rm(join(spool, name), { force: true })
  return spool
}

/** Only what the store still has, in the right size, is used again. */
async function withoutMissing(catalog: Catalog, store: ObjectStore): Promise<Catalog> {
  const sizes = new Map<string, number>()
  if (catalog.packs.length > 0) {
    for await (const { name, sizeBytes } of store.list('objects/')) sizes.set(name, sizeBytes)
  }
  const packs = catalog.packs.filter(({ object, sizeBytes }) => sizes.get(objectName(object)) === sizeBytes)
  return { ...catalog, packs }
}

/** Returns the reason if it is left out. */
async function storeFile(
  file: SourceFile,
  { packs, before }: { packs: ChunkPacks; before: Catalog },
): Promise<Catalog['files'][string] | string> {
  const known = before.files[file.path]
  if (known !== undefined && file.version === known[0] && known[2].every((hash) => packs.isKnown(hash))) return known
  const { chunkBytes } = file
  const content = readWhole(file)
  const hashes: string[] = []
  let sizeBytes = 0
  try {
    for await (const piece of chunkBytes === 'by-content' ? contentPieces(content) : piecesOf(content, chunkBytes)) {
      hashes.push(await packs.add(piece))
      sizeBytes += piece.byteLength
    }
  } catch (error) {
    if (error instanceof FileGone) return 'it was deleted while the backup ran'
    if (error instanceof FileUnreadable && file.isOptional === true) return error.message
    throw error instanceof FileUnreadable ? error.cause : error
  }
  return [file.version ?? '', sizeBytes, hashes]
}

class FileGone extends Error {}
/** Not a failure of the store. */
class FileUnreadable extends Error {}

async function* readWhole(file: SourceFile): AsyncIterable<Uint8Array> {
  try {
    const content = await file.open()
    if (content === null) throw new FileGone()
    yield* content
  } catch (cause) {
    throw cause instanceof FileGone ? cause : new FileUnreadable((cause as Error).message, { cause })
  }
}

/** Names only packs of which the backup needs something. */
function manifestOf(packs: readonly PackRow[], stored: Catalog['files']): { packs: PackRow[]; files: FileRow[] } {
  const needed = new Set(Object.values(stored).flatMap(([, , hashes]) => hashes))
  const kept = packs.filter(({ chunks }) => chunks.some(([hash]) => needed.has(hash)))
  const numbers = new Map<string, number>()
  for (const [number, [hash]] of kept.flatMap(({ chunks }) => chunks).entries()) {
    if (!numbers.has(hash)) numbers.set(hash, number)
  }
  const files = Object.entries(stored).map(([path, [, sizeBytes, hashes]]) => ({
    path,
    sizeBytes,
    chunks: hashes.map((hash) => numbers.get(hash) ?? -1),
  }))
  return { packs: kept, files }
}

/** Of a pack that is mostly no longer needed, the next backup stores the rest again, so that pruning can remove it. */
function worthKeeping(packs: readonly PackRow[], files: readonly FileRow[]): PackRow[] {
  const used = new Set(files.flatMap(({ chunks }) => chunks))
  let number = 0
  return packs.filter(({ chunks }) => {
    let all = 0
    let needed = 0
    for (const [, length] of chunks) {
      all += length
      if (used.has(number)) needed += length
      number += 1
    }
    return needed * 2 >= all
  })
}
