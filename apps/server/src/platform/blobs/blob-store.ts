/**
 * Bytes that outlive sandboxes: attachments, shared files, rich results, outputs. Keys are made by the caller out of
 * ids (`[a-z0-9/._-]`, no `..`). A blob is there whole or not at all, except for an appended one.
 */
export type BlobStore = {
  put(key: string, content: ReadableStream<Uint8Array> | Uint8Array): Promise<{ sizeBytes: number; sha256: string }>
  /** Undefined when there is none. `offset` and `length` in bytes. */
  get(
    key: string,
    range?: { offset: number; length?: number },
  ): Promise<{ stream: ReadableStream<Uint8Array>; sizeBytes: number } | undefined>
  /**
   * Appends at `offset`, which must be the blob's present size or less (what was there from `offset` on is replaced: a
   * writer that crashed repeats its last chunk). Durable when it returns.
   */
  append(key: string, offset: number, content: Uint8Array): Promise<void>
  /** Copies a blob, or every blob below a prefix, to the same names below another one; nothing there is no error. Durable. */
  copyAll(from: string, to: string): Promise<void>
  delete(key: string): Promise<void>
  /** Deletes every blob below `prefix/`. */
  deleteAll(prefix: string): Promise<void>
}
