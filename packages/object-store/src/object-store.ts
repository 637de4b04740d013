/** A place outside the installation for objects that never change. Names are `[a-z0-9/._-]`, without `..`. */
export type ObjectStore = {
  /** Where it is, for people. */
  readonly place: string
  /** Stores an object completely or not at all, unless one with this name exists; it is durable when this returns. */
  put(name: string, content: ObjectContent): Promise<'stored' | 'existed'>
  /** Returns undefined if there is no such object. A range past the end is cut. */
  get(name: string, range?: ByteRange): Promise<ReadableStream<Uint8Array> | undefined>
  /** All objects whose names begin with `prefix`, in no order. */
  list(prefix: string): AsyncIterable<ObjectRow>
  /** Does nothing if there is no such object. */
  delete(name: string): Promise<void>
  /** Returns undefined if it was never written. */
  readLease(): Promise<StoredLease | undefined>
  /**
   * Replaces the lease if its version is still `over` (undefined: none exists). Returns the new version, or undefined if another
   * writer was faster.
   */
  writeLease(text: string, over: string | undefined): Promise<string | undefined>
}

/** `body` can be a file on disk (`openAsBlob`): then it is never in memory as a whole. `sha256` in hexadecimal digits. */
export type ObjectContent = { body: Blob; sha256: string }
export type ByteRange = { offset: number; length: number }
export type ObjectRow = { name: string; sizeBytes: number; modifiedAt: number }
export type StoredLease = { text: string; version: string }

/** What the file `format` of a store says. */
export const storeFormat = 'threadbox-store 1'

/** Whether the text of a file `format` is of a version that this program reads. */
export function isKnownFormat(text: string): 'known' | 'newer' | 'unknown' {
  const [, version] = /^threadbox-store (\d{1,9})\n?$/.exec(text) ?? []
  if (version === undefined) return 'unknown'
  return Number(version) > 1 ? 'newer' : 'known'
}

export function isPlainName(name: string): boolean {
  return /^[a-z0-9][a-z0-9/._-]{0,250}$/i.test(name) && !name.split('/').some((part) => /^\.{0,2}$/.test(part))
}

export async function contentOf(bytes: Uint8Array | string): Promise<ObjectContent> {
  const body = new Blob([typeof bytes === 'string' ? bytes : Uint8Array.from(bytes)])
  const digest = await crypto.subtle.digest('SHA-256', await body.arrayBuffer())
  return { body, sha256: Buffer.from(digest).toString('hex') }
}
