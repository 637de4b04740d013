import { createHash, randomBytes } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib'
import type { ObjectStore } from '@threadbox/object-store'
import { decrypted, encrypted } from './age-payload.ts'

/** An object of a store: its name is the hash of its bytes. */
export type StoredObject = { sha256: string; sizeBytes: number }

type SealedContent = { content: AsyncIterable<Uint8Array>; recipient: string; level?: number }

export function objectName(sha256: string): string {
  return `objects/${sha256.slice(0, 2)}/${sha256}`
}

/**
 * Compresses and encrypts content and stores it under the hash of what is stored. It goes through a file, because the name is
 * known only at its end.
 */
export async function storeSealed(options: {
  content: AsyncIterable<Uint8Array>
  recipient: string
  store: ObjectStore
  spoolDirectory: string
  /** Of zstd; by default 3. A negative one is for content that is compressed already. */
  level?: number
  /** The name for the hash; by default that of an object. */
  nameOf?: (sha256: string) => string
}): Promise<StoredObject & { result: 'stored' | 'existed' }> {
  const spool = join(options.spoolDirectory, `part-${randomBytes(9).toString('hex')}`)
  try {
    const { sha256, sizeBytes } = await writeSealed(spool, options)
    const name = (options.nameOf ?? objectName)(sha256)
    const result = await options.store.put(name, { body: await openAsBlob(spool), sha256 })
    return { sha256, sizeBytes, result }
  } finally {
    await rm(spool, { force: true })
  }
}

/** The same in a file of its own, which only the recovery key opens. */
export async function sealFile(path: string, from: SealedContent): Promise<void> {
  const draft = `${path}.new`
  await rm(draft, { force: true })
  await writeSealed(draft, from)
  await rename(draft, path)
}

async function writeSealed(path: string, { content, recipient, level = 3 }: SealedContent): Promise<StoredObject> {
  const compressed = Readable.from(content).compose(
    createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: level } }),
  )
  const file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let sizeBytes = 0
  try {
    for await (const part of encrypted(compressed as AsyncIterable<Uint8Array>, recipient)) {
      hash.update(part)
      for (let done = 0; done < part.byteLength; ) {
        done += (await file.write(part, done, part.byteLength - done)).bytesWritten
      }
      sizeBytes += part.byteLength
    }
  } finally {
    await file.close()
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

/** The content of a sealed object. Fails while it is read if the bytes or the key are not those it was written with. */
export async function* openSealed(stored: AsyncIterable<Uint8Array>, identity: string): AsyncIterable<Uint8Array> {
  yield* Readable.from(decrypted(stored, identity)).compose(createZstdDecompress()) as AsyncIterable<Uint8Array>
}

/** Whether the stored bytes are those that the name promises. */
export async function stateOfObject(
  store: ObjectStore,
  name: string,
  { sha256, sizeBytes }: StoredObject,
): Promise<ObjectState> {
  const stream = await store.get(name)
  if (stream === undefined) return 'missing'
  const hash = createHash('sha256')
  let size = 0
  for await (const part of stream) {
    hash.update(part)
    size += part.byteLength
  }
  if (size !== sizeBytes) return 'truncated'
  return hash.digest('hex') === sha256 ? 'intact' : 'changed'
}

export type ObjectState = 'intact' | 'missing' | 'truncated' | 'changed'
