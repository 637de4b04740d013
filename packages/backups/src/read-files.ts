import { createHash } from 'node:crypto'
import type { ObjectStore } from '@threadbox/object-store'
import type { Manifest, PackRow } from './manifest.ts'
import { objectName, openSealed } from './sealed-object.ts'

export type LostFile = { path: string; reason: string }
type Place = { path: string; offset: number }

export type ReadFilesOptions = {
  store: ObjectStore
  manifest: Manifest
  identity: string
  /** Which files; by default all. */
  isWanted?: (path: string) => boolean
  /** Called with each piece, in the order in which they are stored. The bytes are used until this returns. */
  write(place: Place, bytes: Uint8Array): Promise<void>
}

/**
 * Reads each needed object once and passes on its pieces, each compared with its hash. What a damaged object has of a file costs
 * that file, and no other.
 */
export async function readFiles(options: ReadFilesOptions): Promise<{ lost: LostFile[]; paths: string[] }> {
  const { manifest, isWanted = () => true } = options
  const wanted = manifest.files.filter(({ path }) => isWanted(path))
  const places = placesOf({ ...manifest, files: wanted })
  const lost = new Map<string, string>()
  let first = 0
  for (const pack of manifest.packs) {
    const needed = pack.chunks.some((_, number) => places.has(first + number))
    if (needed) await readPack(pack, { ...options, places, first, lost })
    first += pack.chunks.length
  }
  for (const { path, chunks } of wanted) {
    if (chunks.some((number) => number < 0 || number >= first)) lost.set(path, 'its list of pieces is wrong')
  }
  return {
    lost: [...lost].map(([path, reason]) => ({ path, reason })),
    paths: wanted.map(({ path }) => path).filter((path) => !lost.has(path)),
  }
}

function placesOf({ packs, files }: Pick<Manifest, 'packs' | 'files'>): Map<number, Place[]> {
  const lengths = packs.flatMap(({ chunks }) => chunks.map(([, length]) => length))
  const places = new Map<number, Place[]>()
  for (const { path, chunks } of files) {
    let offset = 0
    for (const number of chunks) {
      const known = places.get(number)
      if (known === undefined) places.set(number, [{ path, offset }])
      else known.push({ path, offset })
      offset += lengths[number] ?? 0
    }
  }
  return places
}

type PackReading = ReadFilesOptions & { places: Map<number, Place[]>; first: number; lost: Map<string, string> }

async function readPack(pack: PackRow, reading: PackReading): Promise<void> {
  const { store, identity, places, first, lost, write } = reading
  let done = 0
  try {
    const stored = await store.get(objectName(pack.object))
    if (stored === undefined) throw new Error('it is missing in the store')
    for await (const bytes of chunksIn(openSealed(stored, identity), pack)) {
      const [hash] = pack.chunks[done] ?? []
      if (createHash('sha256').update(bytes).digest('hex') !== hash)
        throw new Error('its content is not what was stored')
      for (const place of places.get(first + done) ?? []) {
        if (!lost.has(place.path)) await write(place, bytes)
      }
      done += 1
    }
  } catch (error) {
    if (isOwnFailure(error)) throw error
    const reason = `the object ${pack.object.slice(0, 12)} can’t be read: ${(error as Error).message}`
    for (let number = done; number < pack.chunks.length; number++) {
      for (const { path } of places.get(first + number) ?? []) lost.set(path, reason)
    }
  }
}

/** A failure of this machine, such as a full disk, is none of the store’s objects. */
function isOwnFailure(error: unknown): boolean {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  return syscall !== undefined || code === 'store.unreachable' || code === 'store.refused'
}

/** Ends with an error if the content is shorter or longer than the pack’s list says. */
async function* chunksIn(content: AsyncIterable<Uint8Array>, { chunks }: PackRow): AsyncIterable<Uint8Array> {
  let number = 0
  let filled = 0
  let piece = Buffer.allocUnsafe(chunks[0]?.[1] ?? 0)
  for await (const part of content) {
    for (let done = 0; done < part.byteLength; ) {
      if (number >= chunks.length) throw new Error('it is longer than it was')
      const taken = Math.min(piece.byteLength - filled, part.byteLength - done)
      piece.set(part.subarray(done, done + taken), filled)
      filled += taken
      done += taken
      if (filled < piece.byteLength) continue
      yield piece
      number += 1
      filled = 0
      piece = Buffer.allocUnsafe(chunks[number]?.[1] ?? 0)
    }
  }
  if (number < chunks.length) throw new Error('it is shorter than it was')
}
