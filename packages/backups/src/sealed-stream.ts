import { createHash } from 'node:crypto'
import { isThreadboxError } from '@threadbox/errors'
import { type ObjectStore, storeUnreachable } from '@threadbox/object-store'
import { sealedPartLost } from './backups.errors.ts'
import { piecesOf } from './chunk-packs.ts'
import { openSealed, type StoredObject, stateOfObject, storeSealed } from './sealed-object.ts'

/** One content in several objects below a prefix, in order. */
export type SealedStream = { prefix: string; parts: readonly StoredObject[] }

/** In memory while it is compressed and encrypted; far below the 256 MiB that an object may have. */
const defaultPartBytes = 32 * 1024 * 1024

/** The host has compressed it; zstd’s fastest level passes it on. */
const compressedLevel = -7

/**
 * Stores compressed content encrypted, and reads each part again to compare it. If it fails, parts can be left below
 * the prefix.
 */
export async function storeSealedStream(options: {
  content: AsyncIterable<Uint8Array>
  prefix: string
  recipient: string
  store: ObjectStore
  spoolDirectory: string
  /** Called before each part; throws to stop. */
  beforePart?: () => Promise<void>
  partBytes?: number
}): Promise<SealedStream> {
  const { prefix, store, partBytes = defaultPartBytes } = options
  const nameOf = (sha256: string) => nameOfPart(prefix, sha256)
  const parts: StoredObject[] = []
  for await (const piece of piecesOf(options.content, partBytes)) {
    await options.beforePart?.()
    const { sha256, sizeBytes } = await storeSealed({
      ...options,
      content: once(piece),
      nameOf,
      level: compressedLevel,
    })
    const state = await stateOfObject(store, nameOf(sha256), { sha256, sizeBytes })
    if (state !== 'intact') throw sealedPartLost({ part: parts.length + 1, state })
    parts.push({ sha256, sizeBytes })
  }
  return { prefix, parts }
}

/**
 * The content again. Fails with `archive.part-lost` at the first part that is missing or changed, and as the store does while it
 * can’t be reached: then nothing is lost.
 */
export async function* openSealedStream(
  { prefix, parts }: SealedStream,
  { store, identity, onRead }: { store: ObjectStore; identity: string; onRead?: (bytes: number) => void },
): AsyncGenerator<Uint8Array> {
  for (const [index, { sha256, sizeBytes }] of parts.entries()) {
    const part = index + 1
    const stored = await store.get(nameOfPart(prefix, sha256))
    if (stored === undefined) throw sealedPartLost({ part, state: 'missing' })
    const check = checked(stored)
    try {
      yield* openSealed(check.stream, identity)
    } catch (error) {
      if (check.failure() !== undefined) throw unreachable(store, check.failure())
      if (isThreadboxError(error)) throw error
      throw sealedPartLost({ part, state: 'changed' }, { cause: error })
    }
    if (check.sha256() !== sha256) throw sealedPartLost({ part, state: 'changed' })
    onRead?.(sizeBytes)
  }
}

/** Deletes everything below the prefix, also what an interrupted call stored. */
export async function removeSealedStream(store: ObjectStore, prefix: string): Promise<void> {
  const names: string[] = []
  for await (const { name } of store.list(`${prefix}/`)) names.push(name)
  for (const name of names) await store.delete(name)
}

function nameOfPart(prefix: string, sha256: string): string {
  return `${prefix}/${sha256}`
}

async function* once(piece: Uint8Array): AsyncIterable<Uint8Array> {
  yield piece
}

/** The same stream, with its hash and with why it broke off. */
function checked(source: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  let failure: unknown
  const read = async function* () {
    try {
      for await (const bytes of source) {
        hash.update(bytes)
        yield bytes
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  return {
    stream: read(),
    sha256: () => hash.digest('hex'),
    failure: () => failure,
  }
}

function unreachable(store: ObjectStore, error: unknown): Error {
  if (isThreadboxError(error)) return error
  return storeUnreachable({ place: store.place, reason: (error as Error).message }, { cause: error })
}
