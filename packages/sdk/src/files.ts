import type { FileEntry, MoveFile } from '@threadbox/protocol/public'
import type { Connection, UploadBody } from './request.ts'
import { putBytes, type UploadOptions } from './upload.ts'

/** The files of a thread's sandbox. All of these start the sandbox when it is not awake. */
export function fileCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}/files${rest}`
  return {
    list: (threadId: string, path: string, signal?: AbortSignal) =>
      connection.json<{ entries: FileEntry[] }>('GET', at(threadId), { query: { path }, signal }),
    /** The answer's body is the file; its `etag` header goes into {@link write} as `ifMatch`. */
    read: (threadId: string, path: string, options: { range?: string; signal?: AbortSignal } = {}) =>
      connection.send('GET', at(threadId, '/content'), {
        query: { path },
        ...(options.range === undefined ? {} : { headers: { range: options.range } }),
        signal: options.signal,
      }),
    /** Address of a file's bytes; with `download` the browser saves it instead of showing it. */
    contentUrl: (threadId: string, path: string, options: { download?: boolean } = {}) =>
      connection.url(at(threadId, '/content'), { path, download: options.download === true ? true : undefined }),
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
    delete: (threadId: string, path: string) => connection.json<void>('DELETE', at(threadId), { query: { path } }),
    move: (threadId: string, request: MoveFile) =>
      connection.json<FileEntry>('POST', at(threadId, '/move'), { json: request }),
    makeFolder: (threadId: string, path: string) =>
      connection.json<FileEntry>('POST', at(threadId, '/folders'), { json: { path } }),
    /** Address of a folder as a zip. */
    archiveUrl: (threadId: string, path: string) => connection.url(at(threadId, '/archive'), { path }),
  }
}
