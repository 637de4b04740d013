import type { Readable } from 'node:stream'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { isThreadboxError, type ThreadboxError } from '@threadbox/errors'
import type { Grant } from '@threadbox/protocol/egress'
import { secretBodyEncoded, secretBodyTooLarge, secretNotUsableHere } from './broker.errors.ts'
import { bodyGrantsOf, insertIntoBody } from './insertion.logic.ts'
import { ReplacingStream } from './replacing-stream.ts'
import type { RequestHead } from './request-head.logic.ts'
import type { OpenExchange } from './session.ts'
import { prepareReplacements } from './stream-replacer.logic.ts'
import { checkPosition, hostOf } from './target.logic.ts'

/** A body with placeholders is collected up to here. */
export const maxInsertedBytes = 1024 * 1024
/** A compressed body is searched up to here. */
const maxSearchedBytes = 8 * maxInsertedBytes

/** The body of a request as it goes to the host: all of it, or a stream through which `source` goes. */
export type OutgoingBody =
  | { kind: 'none' }
  | { kind: 'whole'; bytes: Buffer }
  | { kind: 'stream'; through: ReplacingStream | undefined; length: number | 'unknown' }

type Incoming = { source: Readable; head: RequestHead; exchange: OpenExchange; onCollect(): void }

/**
 * Inserts values into a body where a grant allows it; then it is collected first, and never partly sent. Other bodies
 * stream, and one with a placeholder fails with the refusal before the placeholder is out. `onCollect`: the body is
 * wanted before the host responded.
 */
export async function prepareBody(incoming: Incoming): Promise<OutgoingBody> {
  const { source, head, exchange, onCollect } = incoming
  if (head.body === 'none') return { kind: 'none' }
  const { purpose } = exchange.inserted
  const grants = bodyGrantsOf(exchange.known, purpose)
  const encoding = headerOf(head, 'content-encoding').toLowerCase()
  const isEncoded = encoding !== '' && encoding !== 'identity'
  const mediaType = headerOf(head, 'content-type')
  // Both sides of a gRPC call talk at the same time.
  if (grants.length === 0 || mediaType.startsWith('application/grpc')) {
    return { kind: 'stream', through: isEncoded ? undefined : watch(incoming, grants), length: head.body }
  }
  onCollect()
  const { bytes, isAll } = await collect(source, exchange)
  if (isEncoded) checkEncoded(bytes, { encoding, exchange })
  else if (isAll) {
    checkOthers(bytes, { grants, exchange })
    const inserted = insertIntoBody(bytes, { grants, purpose, mediaType })
    exchange.use(inserted.used)
    return { kind: 'whole', bytes: inserted.body }
  }
  if (isAll) return { kind: 'whole', bytes }
  if (!isEncoded) checkStart(bytes, { grants, exchange })
  const through = (isEncoded ? undefined : watch(incoming, grants)) ?? new ReplacingStream([])
  through.write(bytes)
  return { kind: 'stream', through, length: head.body }
}

/** Fails at the first placeholder. */
function watch({ exchange }: Incoming, insertable: readonly Grant[]): ReplacingStream | undefined {
  if (exchange.known.length === 0) return undefined
  const finds = exchange.known.map(({ placeholder }) => ({ find: Buffer.from(placeholder), put: Buffer.alloc(0) }))
  return new ReplacingStream(prepareReplacements(finds), (found) => {
    const grant = exchange.known.find(({ placeholder }) => found.equals(Buffer.from(placeholder)))
    return refusalOf(grant, { insertable, exchange })
  })
}

function refusalOf(
  grant: Grant | undefined,
  { insertable, exchange }: { insertable: readonly Grant[]; exchange: OpenExchange },
): ThreadboxError {
  const { purpose } = exchange.inserted
  const host = hostOf(purpose.target)
  if (grant === undefined) return secretNotUsableHere({ secret: null, host, condition: 'it is not granted' })
  if (insertable.includes(grant)) return secretBodyTooLarge({ secret: grant.name, maxBytes: maxInsertedBytes })
  try {
    checkPosition(grant, 'body', purpose)
  } catch (error) {
    if (isThreadboxError(error)) return error
    throw error
  }
  return secretNotUsableHere({ secret: grant.name, host, condition: 'bodies of this kind are not searched for it' })
}

type Checking = { grants: readonly Grant[]; exchange: OpenExchange }

/** Refuses the beginning of a body that is too large for insertion. */
function checkStart(bytes: Buffer, { grants, exchange }: Checking): void {
  const grant = exchange.known.find(({ placeholder }) => bytes.includes(placeholder))
  if (grant !== undefined) throw refusalOf(grant, { insertable: grants, exchange })
}

function checkOthers(bytes: Buffer, { grants, exchange }: Checking): void {
  for (const grant of exchange.known) {
    if (!grants.includes(grant) && bytes.includes(grant.placeholder)) {
      throw refusalOf(grant, { insertable: grants, exchange })
    }
  }
}

/** Refuses a compressed body with a placeholder, as far as it can be read. */
function checkEncoded(bytes: Buffer, { encoding, exchange }: { encoding: string; exchange: OpenExchange }): void {
  const plain = decoded(bytes, encoding)
  const grant = plain && exchange.known.find(({ placeholder }) => plain.includes(placeholder))
  if (grant !== undefined) throw secretBodyEncoded({ secret: grant.name, encoding: encoding.slice(0, 100) })
}

function decoded(bytes: Buffer, encoding: string): Buffer | undefined {
  const options = { maxOutputLength: maxSearchedBytes }
  try {
    if (encoding === 'gzip' || encoding === 'x-gzip') return gunzipSync(bytes, options)
    if (encoding === 'deflate') return inflateSync(bytes, options)
    if (encoding === 'br') return brotliDecompressSync(bytes, options)
    if (encoding === 'zstd') return zstdDecompressSync(bytes, options)
  } catch {
    // Too large, cut, or not in this encoding: the placeholder goes out as it is, and means nothing there.
  }
  return undefined
}

async function collect(source: Readable, exchange: OpenExchange): Promise<{ bytes: Buffer; isAll: boolean }> {
  const parts: Buffer[] = []
  let length = 0
  const done = Promise.withResolvers<boolean>()
  const onData = (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (length > maxInsertedBytes) done.resolve(false)
  }
  const onEnd = () => done.resolve(true)
  const onFailure = (error?: unknown) => done.reject(error ?? new Error('the request ended early'))
  source.on('data', onData).once('end', onEnd).once('error', onFailure).once('close', onFailure)
  exchange.onEnd(onFailure)
  try {
    const isAll = await done.promise
    return { bytes: Buffer.concat(parts), isAll }
  } finally {
    source.pause()
    source.off('data', onData).off('end', onEnd).off('error', onFailure).off('close', onFailure)
  }
}

function headerOf(head: RequestHead, name: string): string {
  return head.headers.find(([known]) => known === name)?.[1].trim() ?? ''
}
