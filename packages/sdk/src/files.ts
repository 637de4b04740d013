import type { CopiedFiles, CopyFiles, FileEntry, FilesPage, MoveFile } from '@threadbox/protocol/public'
import type { Connection, UploadBody } from './request.ts'
import { putBytes, type UploadOptions } from './upload.ts'

/** The part of a folder to list. `wake: false` reads the disk of a sleeping sandbox without waking it. */
type ListOptions = ReadOptions & { after?: string; limit?: number }
type ReadOptions = { wake?: boolean; signal?: AbortSignal | undefined }

/** The files of a thread’s sandbox. All calls wake the sandbox if it is not awake, unless `wake` is false. */
export function fileCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/files${rest}`
  return {
    /** Lists a folder sorted by name; pass `next` of the response as `after` for the next part. */
    list: (threadId: string, path: string, { signal, ...query }: ListOptions = {}) =>
      connection.json<FilesPage>('GET', at(threadId), { query: { path, ...query }, signal }),
    entry: (threadId: string, path: string, { signal, wake }: ReadOptions = {}) =>
      connection.json<FileEntry>('GET', at(threadId, '/entry'), { query: { path, wake }, signal }),
    /**
     * For one minute, sends changes in these folders as `files-changed` on the user’s stream. Does not wake the
     * sandbox.
     */
    watch: (threadId: string, paths: readonly string[]) =>
      connection.json<void>('PUT', at(threadId, '/watch'), { json: { paths } }),
    /** The response body is the file; pass its `etag` header to {@link write} as `ifMatch`. */
    read: (threadId: string, path: string, options: ReadOptions & { range?: string } = {}) =>
      connection.send('GET', at(threadId, '/content'), {
        query: { path, wake: options.wake },
        ...(options.range === undefined ? {} : { headers: { range: options.range } }),
        signal: options.signal,
      }),
    /** The address of a file’s bytes; with `download` the browser saves it instead of showing it. */
    contentUrl: (
      threadId: string,
      path: string,
      options: { download?: boolean; version?: string; wake?: boolean } = {},
    ) =>
      connection.url(at(threadId, '/content'), {
        path,
        download: options.download === true ? true : undefined,
        version: options.version,
        wake: options.wake,
      }),
    /** Writes a file. With `ifMatch` it fails with `file.changed` if the file was changed in the meantime. */
    write: (
      threadId: string,
      path: string,
      body: UploadBody,
      options: UploadOptions & { ifMatch?: string; onlyIfNew?: boolean } = {},
    ) =>
      putBytes<FileEntry>(connection, {
        path: at(threadId, '/content'),
        query: { path },
        body,
        headers: {
          ...(options.ifMatch === undefined ? {} : { 'if-match': options.ifMatch }),
          ...(options.onlyIfNew === true ? { 'if-none-match': '*' } : {}),
        },
        ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      }),
    /** Deletes a file, or a folder with everything in it. Returns what was deleted. */
    delete: (threadId: string, path: string) => connection.json<FileEntry>('DELETE', at(threadId), { query: { path } }),
    move: (threadId: string, request: MoveFile) =>
      connection.json<FileEntry>('POST', at(threadId, '/move'), { json: request }),
    makeFolder: (threadId: string, path: string) =>
      connection.json<FileEntry>('POST', at(threadId, '/folders'), { json: { path } }),
    /** Copies files from the sandbox of another thread without overwriting. Resolves when all are copied. */
    copy: (threadId: string, request: CopyFiles, signal?: AbortSignal) =>
      connection.json<CopiedFiles>('POST', at(threadId, '/copies'), { json: request, signal }),
    /** The address of a folder as a zip, or of some of its content: `only` lists paths below it. */
    archiveUrl: (threadId: string, path: string, only: readonly string[] = []) =>
      connection.url(at(threadId, '/archive'), { path, only: only.length === 0 ? undefined : JSON.stringify(only) }),
  }
}
