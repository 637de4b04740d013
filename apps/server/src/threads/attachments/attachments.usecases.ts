import { posix } from 'node:path'
import type { Attachment } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadEvents } from '../threads.events.ts'
import { attachmentNotFound, uploadInterrupted, uploadNoSpace } from './attachments.errors.ts'
import type { AttachmentStore } from './attachments.store.ts'
import type { AttachmentRow } from './attachments.table.ts'
import { attachmentKey } from './blob-keys.ts'
import { cleanName, numberedName, uploadDirectory } from './upload-name.logic.ts'

export type Upload = {
  name: string
  mediaType: string
  /** The size that the sender declared; undefined for a stream of unknown size. */
  announcedBytes: number | undefined
  content: ReadableStream<Uint8Array>
}

/** The part of an awake sandbox that delivers files. */
export type DeliverySandbox = {
  sandboxId: string
  bootId: string
  upload(path: string, content: ReadableStream<Uint8Array>): Promise<void>
}

export type Attachments = {
  /** Streams a file into the blob store. The sandbox gets its copy now if it is awake, otherwise when it starts. */
  upload(threadId: string, upload: Upload): Promise<Attachment>
  /** Throws `attachment.not-found`. */
  get(threadId: string, attachmentId: string): Promise<Attachment>
  /** Throws `attachment.not-found` when one of them is not of this thread. */
  getAll(threadId: string, attachmentIds: readonly string[]): Promise<Attachment[]>
  /** Copies a file to a thread's copy under another id: first the bytes, then the row. */
  copy(file: FileCopy): Promise<void>
  /** Delivers pending files to an awake sandbox. A file that doesn't fit stays pending and is tried again. */
  deliver(threadId: string, sandbox: DeliverySandbox): Promise<void>
}

export type FileCopy = { fromThreadId: string; toThreadId: string; id: string; newId: string }

export type AttachmentsDependencies = {
  store: AttachmentStore
  blobs: BlobStore
  events: Pick<Events<ThreadEvents>, 'emit'>
  system: System
  logger: Logger
}

export function makeAttachments(dependencies: AttachmentsDependencies): Attachments {
  const { store } = dependencies
  const get = async (threadId: string, attachmentId: string) => {
    const row = await store.find(threadId, attachmentId)
    if (row === undefined) throw attachmentNotFound({})
    return present(row)
  }
  const deliver = (threadId: string, sandbox: DeliverySandbox) => deliverPending(dependencies, threadId, sandbox)
  return {
    get,
    getAll: (threadId, attachmentIds) => Promise.all(attachmentIds.map((id) => get(threadId, id))),
    deliver,
    copy: async ({ fromThreadId, toThreadId, id, newId }) => {
      const row = await store.find(fromThreadId, id)
      if (row === undefined) return
      await dependencies.blobs.copyAll(attachmentKey(fromThreadId, id), attachmentKey(toThreadId, newId))
      await store.insert({ ...row, id: newId, thread_id: toThreadId })
    },
    upload: async (threadId, upload) => {
      const row = await receive(dependencies, threadId, upload)
      await dependencies.events.emit('upload-stored', { threadId })
      return present(row)
    },
  }
}

async function receive(
  dependencies: AttachmentsDependencies,
  threadId: string,
  upload: Upload,
): Promise<AttachmentRow> {
  const { blobs, system } = dependencies
  const id = system.newId('attachment')
  const key = attachmentKey(threadId, id)
  const { sizeBytes, sha256 } = await blobs.put(key, upload.content).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOSPC' || error.code === 'EDQUOT') throw uploadNoSpace({}, { cause: error })
    throw uploadInterrupted({}, { cause: error })
  })
  if (upload.announcedBytes !== undefined && upload.announcedBytes !== sizeBytes) {
    await blobs.delete(key)
    throw uploadInterrupted({})
  }
  const row = {
    id,
    thread_id: threadId,
    media_type: upload.mediaType,
    size_bytes: sizeBytes,
    sha256,
    created_at: system.now(),
    delivered_at: null,
  }
  return await insertUnderFreeName(dependencies.store, row, cleanName(upload.name))
}

/** The unique index decides which upload gets a name; the next upload of that name gets a number. */
async function insertUnderFreeName(
  store: AttachmentStore,
  row: Omit<AttachmentRow, 'name' | 'path'>,
  wanted: string,
): Promise<AttachmentRow> {
  for (let number = 1; ; number += 1) {
    const name = numberedName(wanted, number)
    const named = { ...row, name, path: posix.join(uploadDirectory, name) }
    try {
      await store.insert(named)
      return named
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
    }
  }
}

async function deliverPending(
  dependencies: AttachmentsDependencies,
  threadId: string,
  sandbox: DeliverySandbox,
): Promise<void> {
  const { store, blobs, system, logger } = dependencies
  for (const row of await store.pending(threadId)) {
    const blob = await blobs.get(attachmentKey(threadId, row.id))
    if (blob === undefined) continue
    try {
      await sandbox.upload(row.path, blob.stream)
      await store.setDelivered(row.id, system.now())
    } catch (error) {
      // The sandbox must stay usable, because on a full disk the user frees space for the file in it.
      logger.warn({ err: error, threadId, path: row.path }, 'upload not delivered, will be tried again')
      return
    }
  }
}

function present(row: AttachmentRow): Attachment {
  return { id: row.id, name: row.name, mediaType: row.media_type, sizeBytes: row.size_bytes, path: row.path }
}
