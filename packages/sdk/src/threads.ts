import type {
  Attachment,
  CallDecision,
  CreatedThreadLink,
  CreateThread,
  CreateThreadLink,
  EditMessage,
  EntriesPage,
  ExportFormat,
  ForkThread,
  MessageAccepted,
  Presence,
  ReorderQueue,
  ReportPresence,
  RetryTurn,
  RewindPreview,
  RewoundThread,
  SearchHit,
  SendMessage,
  SharedThread,
  Thread,
  ThreadLinks,
  ThreadPage,
  UpdateThread,
} from '@threadbox/protocol/public'
import type { Connection, UploadBody } from './request.ts'
import { putBytes, type UploadOptions } from './upload.ts'

/** Threads, their conversations and messages. */
export function threadCalls(connection: Connection) {
  const at = (threadId: string, rest = '') => `/threads/${encodeURIComponent(threadId)}${rest}`
  return {
    list: (options: { cursor?: string; limit?: number; signal?: AbortSignal } = {}) =>
      connection.json<ThreadPage>('GET', '/threads', {
        query: { cursor: options.cursor, limit: options.limit },
        signal: options.signal,
      }),
    create: (request: CreateThread = {}) => connection.json<Thread>('POST', '/threads', { json: request }),
    get: (threadId: string, signal?: AbortSignal) => connection.json<Thread>('GET', at(threadId), { signal }),
    update: (threadId: string, request: UpdateThread) =>
      connection.json<Thread>('PATCH', at(threadId), { json: request }),
    /** Deletes a thread. It can be undone with {@link restore} for 30 seconds. */
    /** Reports that you have the thread open; resolves with the others who have. */
    reportPresence: (threadId: string, request: ReportPresence) =>
      connection.json<Presence>('PUT', at(threadId, '/presence'), { json: request }),
    delete: (threadId: string) => connection.json<Thread>('DELETE', at(threadId)),
    /** Creates a copy of this thread: as it is now, or as it was after the turn `turnId`. */
    fork: (threadId: string, request: ForkThread = {}) =>
      connection.json<Thread>('POST', at(threadId, '/fork'), { json: request }),
    /** Gets what a rewind to before this message would undo; changes nothing. */
    previewRewind: (threadId: string, entryId: string, signal?: AbortSignal) =>
      connection.json<RewindPreview>('GET', at(threadId, '/rewind'), { query: { before: entryId }, signal }),
    /** Rewinds conversation and disk to before this message. */
    rewind: (threadId: string, entryId: string) =>
      connection.json<RewoundThread>('POST', at(threadId, '/rewind'), { json: { entryId } }),
    /** Undoes a rewind, if no message was sent since. */
    undoRewind: (threadId: string, rewindId: string) =>
      connection.json<void>('POST', at(threadId, '/rewind/undo'), { json: { rewindId } }),
    restore: (threadId: string) => connection.json<Thread>('POST', at(threadId, '/restore')),
    entries: (threadId: string, options: { before?: string; limit?: number; signal?: AbortSignal } = {}) =>
      connection.json<EntriesPage>('GET', at(threadId, '/entries'), {
        query: { before: options.before, limit: options.limit },
        signal: options.signal,
      }),
    /** Gets what a copy of a shared thread would contain; `secret` is the end of the link’s address. */
    lookAtShared: (secret: string, signal?: AbortSignal) =>
      connection.json<SharedThread>('POST', '/shared-threads/look', { json: { secret }, signal }),
    /** Creates the user’s own copy of a shared thread, including its sandbox. */
    copyShared: (secret: string) => connection.json<Thread>('POST', '/shared-threads/copy', { json: { secret } }),
    /** Lists the public links to the thread. */
    links: (threadId: string, signal?: AbortSignal) =>
      connection.json<ThreadLinks>('GET', at(threadId, '/links'), { signal }),
    /** Creates a public link. Its address is returned only this once. */
    createLink: (threadId: string, request: CreateThreadLink) =>
      connection.json<CreatedThreadLink>('POST', at(threadId, '/links'), { json: request }),
    /** Revokes a link. Readers are disconnected within five seconds. */
    endLink: (threadId: string, linkId: string) =>
      connection.json<void>('DELETE', at(threadId, `/links/${encodeURIComponent(linkId)}`)),
    /** The address of the conversation as a file: Markdown, one page of HTML, or a runnable notebook. */
    exportUrl: (threadId: string, format: ExportFormat) => connection.url(at(threadId, '/export'), { format }),
    search: (query: string, options: { limit?: number; signal?: AbortSignal } = {}) =>
      connection.json<{ hits: SearchHit[] }>('GET', '/search', {
        query: { q: query, limit: options.limit },
        signal: options.signal,
      }),

    sendMessage: (threadId: string, request: SendMessage) =>
      connection.json<MessageAccepted>('POST', at(threadId, '/messages'), { json: request }),
    /** Changes a queued message. */
    updateMessage: (threadId: string, entryId: string, request: EditMessage) =>
      connection.json<void>('PATCH', at(threadId, `/messages/${encodeURIComponent(entryId)}`), { json: request }),
    /** Removes a message from the queue. */
    removeMessage: (threadId: string, entryId: string) =>
      connection.json<void>('DELETE', at(threadId, `/messages/${encodeURIComponent(entryId)}`)),
    /** Sends an earlier message again with another text; later messages are removed. */
    editMessage: (threadId: string, entryId: string, request: EditMessage) =>
      connection.json<MessageAccepted>('POST', at(threadId, `/messages/${encodeURIComponent(entryId)}/edit`), {
        json: request,
      }),
    reorderQueue: (threadId: string, request: ReorderQueue) =>
      connection.json<void>('PUT', at(threadId, '/queue'), { json: request }),
    resumeQueue: (threadId: string) => connection.json<void>('POST', at(threadId, '/queue/resume')),
    stop: (threadId: string) => connection.json<void>('POST', at(threadId, '/stop')),
    retry: (threadId: string, request: RetryTurn) =>
      connection.json<MessageAccepted>('POST', at(threadId, '/retry'), { json: request }),
    runAgain: (threadId: string, callId: string) =>
      connection.json<MessageAccepted>('POST', at(threadId, `/calls/${encodeURIComponent(callId)}/run-again`)),
    /** Decides on a call that waits for approval (`awaiting-approval`). */
    decideCall: (threadId: string, callId: string, decision: CallDecision) =>
      connection.json<void>('POST', at(threadId, `/calls/${encodeURIComponent(callId)}/decision`), {
        json: { decision },
      }),

    /** Uploads an attachment of any size. Its path in the sandbox is `path` of the result. */
    upload: (threadId: string, name: string, body: UploadBody, options: UploadOptions = {}) =>
      putBytes<Attachment>(connection, { path: at(threadId, '/uploads'), query: { name }, body, ...options }),
    /** The address of an attachment’s bytes. */
    attachmentUrl: (threadId: string, attachmentId: string) =>
      connection.url(at(threadId, `/attachments/${encodeURIComponent(attachmentId)}`)),
    /**
     * Gets a part of a command’s output, which ends before bytes that weren’t kept: those from `kept.headBytes` to
     * `kept.tailFrom`. An offset between them is an error, `output.not-kept`.
     */
    output: async (
      threadId: string,
      callId: string,
      options: { offset?: number; limit?: number; signal?: AbortSignal } = {},
    ) => {
      const response = await connection.send('GET', at(threadId, `/outputs/${encodeURIComponent(callId)}`), {
        query: { offset: options.offset, limit: options.limit },
        signal: options.signal,
      })
      const text = await response.text()
      const sizeBytes = Number(response.headers.get('threadbox-output-size') ?? 0)
      const headBytes = Number(response.headers.get('threadbox-output-kept-head') ?? sizeBytes)
      const tailFrom = Number(response.headers.get('threadbox-output-kept-tail-from') ?? headBytes)
      return { text, sizeBytes, kept: { headBytes, tailFrom } }
    },
    outputUrl: (threadId: string, callId: string) =>
      connection.url(at(threadId, `/outputs/${encodeURIComponent(callId)}`), { download: true }),
  }
}
