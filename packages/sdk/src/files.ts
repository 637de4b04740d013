import type { CopiedFiles, CopyFiles, FileEntry, FilesPage, MoveFile } from '@threadbox/protocol/public'
import type { Connection, UploadBody } from './request.ts'
import { putBytes, type UploadOptions } from './upload.ts'

/** Which part of a folder. `wake: false` reads the disk of a sandbox that sleeps and leaves it asleep. */
type ListOptions = ReadOptions & { after?: string; limit?: number }
type ReadOptions = { wake?: boolean; signal?: AbortSignal | undefined }

/** The files of a thread's sandbox. All of these start the sandbox when it is not awake, unless `wake` is false. */
export function fileCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/files${rest}`
  return {
    /** A folder in the order of names; `next` of the answer is `after` of the next part. */
    list: (threadId: string, path: string, { signal, ...query }: ListOptions = {}) =>
      connection.json<FilesPage>('GET', at(threadId), { query: { path, ...query }, signal }),
    entry: (threadId: string, path: string, { signal, wake }: ReadOptions = {}) =>
      connection.json<FileEntry>('GET', at(threadId, '/entry'), { query: { path, wake }, signal }),
    /** For a minute changes in these folders come as `files-changed` over the person's stream. Wakes nothing. */
    watch: (threadId: string, paths: readonly string[]) =>
      connection.json<void>('PUT', at(threadId, '/watch'), { json: { paths } }),
    /** The answer's body is the file; its `etag` header goes into {@link write} as `ifMatch`. */
    read: (threadId: string, path: string, options: ReadOptions & { range?: string } = {}) =>
      connection.send('GET', at(threadId, '/content'), {
        query: { path, wake: options.wake },
        ...(options.range === undefined ? {} : { headers: { range: options.range } }),
        signal: options.signal,
      }),
    /** Address of a file's bytes; with `download` the browser saves it instead of showing it. */
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
    /** Writes a file. With `ifMatch` it fails with `file.changed` when somebody else wrote it in between. */
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
    /** A folder goes with everything in it. Tells what was removed. */
    delete: (threadId: string, path: string) => connection.json<FileEntry>('DELETE', at(threadId), { query: { path } }),
    move: (threadId: string, request: MoveFile) =>
      connection.json<FileEntry>('POST', at(threadId, '/move'), { json: request }),
    makeFolder: (threadId: string, path: string) =>
      connection.json<FileEntry>('POST', at(threadId, '/folders'), { json: { path } }),
    /** Copies out of the sandbox of another thread; nothing is overwritten. Ends when everything is there. */
    copy: (threadId: string, request: CopyFiles, signal?: AbortSignal) =>
      connection.json<CopiedFiles>('POST', at(threadId, '/copies'), { json: request, signal }),
    /** Address of a folder as a zip, or of some of what is in it: `only` are paths below it. */
    archiveUrl: (threadId: string, path: string, only: readonly string[] = []) =>
      connection.url(at(threadId, '/archive'), { path, only: only.length === 0 ? undefined : JSON.stringify(only) }),
  }
}
