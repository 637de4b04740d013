import type { Attachment, ThreadboxClient } from '@threadbox/sdk'

/** A file on its way into a thread. */
export type Upload = {
  id: string
  name: string
  sizeBytes: number
  sentBytes: number
  status: 'uploading' | 'done' | 'failed'
  attachment: Attachment | null
  error: unknown
}

export type UploadsStore = {
  get(threadId: string): readonly Upload[]
  subscribe(listener: () => void): () => void
  add(threadId: string, files: readonly File[]): void
  retry(threadId: string, uploadId: string): void
  /** Stops it when it still runs; the composer forgets it. */
  remove(threadId: string, uploadId: string): void
  /** Forgets those that went out with a message. */
  clear(threadId: string, uploadIds: readonly string[]): void
  /** Attaches what the server has already, after a message could not be sent. */
  restore(threadId: string, attachments: readonly Attachment[]): void
}

/** So many files of one drop travel at once; the others wait their turn. */
const parallelUploads = 3

const none: readonly Upload[] = []

/**
 * The uploads of all threads. They belong to no page: a file that was dropped goes on travelling while the person looks
 * at another thread.
 */
export function makeUploadsStore(client: ThreadboxClient): UploadsStore {
  const uploads = new Map<string, readonly Upload[]>()
  const files = new Map<string, File>()
  const running = new Map<string, AbortController>()
  const waiting: { threadId: string; uploadId: string }[] = []
  const listeners = new Set<() => void>()

  const put = (threadId: string, next: readonly Upload[]) => {
    uploads.set(threadId, next)
    for (const listener of listeners) listener()
  }
  const change = (threadId: string, uploadId: string, values: Partial<Upload>) =>
    put(
      threadId,
      (uploads.get(threadId) ?? none).map((upload) => (upload.id === uploadId ? { ...upload, ...values } : upload)),
    )

  const startNext = () => {
    while (running.size < parallelUploads) {
      const next = waiting.shift()
      if (next === undefined) return
      void send(next.threadId, next.uploadId)
    }
  }
  const send = async (threadId: string, uploadId: string) => {
    const file = files.get(uploadId)
    if (file === undefined) return
    const abort = new AbortController()
    running.set(uploadId, abort)
    try {
      const attachment = await client.threads.upload(threadId, file.name, file, {
        signal: abort.signal,
        onProgress: (sentBytes) => change(threadId, uploadId, { sentBytes }),
      })
      files.delete(uploadId)
      change(threadId, uploadId, { status: 'done', sentBytes: file.size, attachment })
    } catch (error) {
      if (!abort.signal.aborted) change(threadId, uploadId, { status: 'failed', error })
    } finally {
      running.delete(uploadId)
      startNext()
    }
  }
  const enqueue = (threadId: string, uploadId: string) => {
    waiting.push({ threadId, uploadId })
    startNext()
  }

  return {
    get: (threadId) => uploads.get(threadId) ?? none,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    add: (threadId, added) => {
      const entries = added.map((file) => ({ file, upload: newUpload(file) }))
      for (const { file, upload } of entries) files.set(upload.id, file)
      put(threadId, [...(uploads.get(threadId) ?? none), ...entries.map(({ upload }) => upload)])
      for (const { upload } of entries) enqueue(threadId, upload.id)
    },
    retry: (threadId, uploadId) => {
      change(threadId, uploadId, { status: 'uploading', sentBytes: 0, error: null })
      enqueue(threadId, uploadId)
    },
    remove: (threadId, uploadId) => {
      running.get(uploadId)?.abort()
      files.delete(uploadId)
      put(
        threadId,
        (uploads.get(threadId) ?? none).filter((upload) => upload.id !== uploadId),
      )
    },
    clear: (threadId, uploadIds) =>
      put(
        threadId,
        (uploads.get(threadId) ?? none).filter((upload) => !uploadIds.includes(upload.id)),
      ),
    restore: (threadId, attachments) =>
      put(threadId, [...attachments.map(uploadOf), ...(uploads.get(threadId) ?? none)]),
  }
}

function newUpload(file: File): Upload {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('-')
  return { id, name: file.name, sizeBytes: file.size, sentBytes: 0, status: 'uploading', attachment: null, error: null }
}

function uploadOf(attachment: Attachment): Upload {
  const { id, name, sizeBytes } = attachment
  return { id, name, sizeBytes, sentBytes: sizeBytes, status: 'done', attachment, error: null }
}
