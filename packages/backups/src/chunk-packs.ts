import { createHash } from 'node:crypto'
import type { ObjectStore } from '@threadbox/object-store'
import type { PackRow } from './manifest.ts'
import { storeSealed } from './sealed-object.ts'

/** Where chunks are stored. New ones are gathered into packs, one after the other. */
export type ChunkPacks = {
  /** Stores a chunk unless it is known; returns its hash. The bytes are used until this returns. */
  add(chunk: Uint8Array): Promise<string>
  isKnown(hash: string): boolean
  /** Stores what is gathered; all packs, old and new, in the order of their numbers. */
  finish(): Promise<readonly PackRow[]>
  storedBytes(): number
}

export type ChunkPacksOptions = {
  store: ObjectStore
  recipient: string
  spoolDirectory: string
  /** Packs that the store has. */
  known: readonly PackRow[]
  /** Called before each pack is stored. */
  beforePack(): Promise<void>
  packBytes?: number
}

/** Below the 256 MiB that an object may have, also if nothing of it can be compressed. */
const defaultPackBytes = 64 * 1024 * 1024

export function makeChunkPacks(options: ChunkPacksOptions): ChunkPacks {
  const packs = [...options.known]
  const hashes = new Set(packs.flatMap(({ chunks }) => chunks.map(([hash]) => hash)))
  let gathered: { hash: string; bytes: Uint8Array }[] = []
  let size = 0
  let stored = 0
  const flush = async () => {
    if (gathered.length === 0) return
    await options.beforePack()
    const content = gathered
    const sealed = await storeSealed({ ...options, content: bytesOf(content) })
    const chunks = content.map(({ hash, bytes }): [string, number] => [hash, bytes.byteLength])
    packs.push({ object: sealed.sha256, sizeBytes: sealed.sizeBytes, chunks })
    stored += sealed.sizeBytes
    gathered = []
    size = 0
  }
  return {
    add: async (chunk) => {
      const hash = createHash('sha256').update(chunk).digest('hex')
      if (hashes.has(hash)) return hash
      hashes.add(hash)
      gathered.push({ hash, bytes: Uint8Array.from(chunk) })
      size += chunk.byteLength
      if (size >= (options.packBytes ?? defaultPackBytes)) await flush()
      return hash
    },
    isKnown: (hash) => hashes.has(hash),
    finish: async () => {
      await flush()
      return packs
    },
    storedBytes: () => stored,
  }
}

async function* bytesOf(content: readonly { bytes: Uint8Array }[]): AsyncIterable<Uint8Array> {
  for (const { bytes } of content) yield bytes
}

/** The same bytes in pieces of this size; the last one can be smaller. */
export async function* piecesOf(content: AsyncIterable<Uint8Array>, size: number): AsyncIterable<Uint8Array> {
  const piece = Buffer.allocUnsafe(size)
  let filled = 0
  for await (const part of content) {
    for (let done = 0; done < part.byteLength; ) {
      const taken = Math.min(size - filled, part.byteLength - done)
      piece.set(part.subarray(done, done + taken), filled)
      filled += taken
      done += taken
      if (filled < size) continue
      yield piece
      filled = 0
    }
  }
  if (filled > 0) yield piece.subarray(0, filled)
}
