import {
  type Attachment,
  findPossibleSecrets,
  type PossibleSecret,
  type Screenshot,
  type ThreadboxClient,
} from '@threadbox/sdk'
import { createStore } from 'zustand/vanilla'
import { randomId } from '../../client/random-id.ts'
import type { Readable } from '../../client/readable.ts'

/** An upload into a thread. */
export type Upload = {
  id: string
  name: string
  sizeBytes: number
  sentBytes: number
  status: 'uploading' | 'done' | 'failed'
  attachment: Attachment | null
  error: unknown
  /** The details of a screenshot of a preview; null for any other file. */
  screenshot: Screenshot | null
  /** A local address for the image until it is uploaded; null for other files and afterwards. */
  thumbnail: string | null
  addedAt: number
  /** What in a text file looks like a key. */
  possibleSecrets: readonly PossibleSecret[]
}

/** By thread. */
export type Uploads = Readonly<Record<string, readonly Upload[]>>

export type UploadsStore = {
  byThread: Readable<Uploads>
  add(threadId: string, files: readonly File[], about?: { screenshot: Screenshot }): void
  retry(threadId: string, uploadId: string): void
  /** Stops the upload if it is running, and removes the file from the composer. */
  remove(threadId: string, uploadId: string): void
  /** Removes the files that were sent with a message. */
  clear(threadId: string, uploadIds: readonly string[]): void
  /** Attaches files again that are already on the server, after a message couldn’t be sent. */
  restore(threadId: string, attachments: readonly Attachment[]): void
}

/** The number of parallel uploads; others wait. */
const parallelUploads = 3

const none: readonly Upload[] = []

export function uploadsOf(uploads: Uploads, threadId: string): readonly Upload[] {
  return uploads[threadId] ?? none
}

/** The uploads of all threads. They belong to no page: an upload continues when you open another thread. */
export function makeUploadsStore(client: ThreadboxClient): UploadsStore {
  const byThread = createStore<Uploads>()(() => ({}))
  const files = new Map<string, File>()
  const running = new Map<string, AbortController>()
  const waiting: { threadId: string; uploadId: string }[] = []

  const of = (threadId: string) => uploadsOf(byThread.getState(), threadId)
  const put = (threadId: string, next: readonly Upload[]) => byThread.setState({ [threadId]: next })
  const change = (threadId: string, uploadId: string, values: Partial<Upload>) =>
    put(
      threadId,
      of(threadId).map((upload) => (upload.id === uploadId ? { ...upload, ...values } : upload)),
    )

  const find = (threadId: string, uploadId: string) => of(threadId).find(({ id }) => id === uploadId)
  const drop = (threadId: string, uploadIds: readonly string[]) => {
    const all = of(threadId)
    for (const { id, thumbnail } of all)
      if (thumbnail !== null && uploadIds.includes(id)) URL.revokeObjectURL(thumbnail)
    put(
      threadId,
      all.filter(({ id }) => !uploadIds.includes(id)),
    )
  }

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
      const { screenshot } = find(threadId, uploadId) ?? {}
      const known = screenshot == null ? attachment : { ...attachment, screenshot }
      change(threadId, uploadId, { status: 'done', sentBytes: file.size, attachment: known })
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
    byThread,
    add: (threadId, added, about) => {
      const entries = added.map((file) => ({ file, upload: newUpload(file, about?.screenshot ?? null) }))
      for (const { file, upload } of entries) files.set(upload.id, file)
      put(threadId, [...of(threadId), ...entries.map(({ upload }) => upload)])
      for (const { upload } of entries) enqueue(threadId, upload.id)
      for (const { file, upload } of entries) void searchFile(file, (found) => change(threadId, upload.id, found))
    },
    retry: (threadId, uploadId) => {
      change(threadId, uploadId, { status: 'uploading', sentBytes: 0, error: null })
      enqueue(threadId, uploadId)
    },
    remove: (threadId, uploadId) => {
      running.get(uploadId)?.abort()
      files.delete(uploadId)
      drop(threadId, [uploadId])
    },
    clear: drop,
    restore: (threadId, attachments) => put(threadId, [...attachments.map(uploadOf), ...of(threadId)]),
  }
}

/** Larger files are data, not notes with a key in them. */
const maxSearchedBytes = 1024 * 1024

async function searchFile(file: File, note: (found: Pick<Upload, 'possibleSecrets'>) => void): Promise<void> {
  if (file.size > maxSearchedBytes) return
  // A file that can’t be read fails in its upload.
  const text = await file.text().catch(() => '')
  const possibleSecrets = findPossibleSecrets(text)
  if (possibleSecrets.length > 0) note({ possibleSecrets })
}

function newUpload(file: File, screenshot: Screenshot | null): Upload {
  const thumbnail = screenshot === null ? null : URL.createObjectURL(file)
  return {
    id: randomId(),
    name: file.name,
    sizeBytes: file.size,
    sentBytes: 0,
    status: 'uploading',
    attachment: null,
    error: null,
    screenshot,
    thumbnail,
    addedAt: Date.now(),
    possibleSecrets: [],
  }
}

function uploadOf(attachment: Attachment): Upload {
  const { id, name, sizeBytes, screenshot = null } = attachment
  return {
    id,
    name,
    sizeBytes,
    sentBytes: sizeBytes,
    status: 'done',
    attachment,
    error: null,
    screenshot,
    thumbnail: null,
    addedAt: Date.now(),
    possibleSecrets: [],
  }
}
