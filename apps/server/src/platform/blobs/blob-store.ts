/**
 * Bytes that outlive sandboxes: attachments, shared files, rich results, outputs. The caller builds keys from ids
 * (`[a-z0-9/._-]`, no `..`). A blob exists completely or not at all, except for an appended one.
 */
export type BlobStore = {
  put(key: string, content: ReadableStream<Uint8Array> | Uint8Array): Promise<{ sizeBytes: number; sha256: string }>
  /** Returns undefined when the blob doesn't exist. `offset` and `length` in bytes. */
  get(
    key: string,
    range?: { offset: number; length?: number },
  ): Promise<{ stream: ReadableStream<Uint8Array>; sizeBytes: number } | undefined>
  /**
   * Appends at `offset`, which must be the blob's size or less. Content from `offset` on is replaced, because a writer
   * that crashed repeats its last chunk. Durable when it returns.
   */
  append(key: string, offset: number, content: Uint8Array): Promise<void>
  /** The blobs directly below `prefix/`, by name; empty when none exists. */
  list(prefix: string): Promise<{ name: string; sizeBytes: number }[]>
  /**
   * Copies a blob, or every blob below a prefix, to the same names below another one; does nothing if none exists.
   * Durable.
   */
  copyAll(from: string, to: string): Promise<void>
  delete(key: string): Promise<void>
  /** Deletes every blob below `prefix/`. */
  deleteAll(prefix: string): Promise<void>
}
