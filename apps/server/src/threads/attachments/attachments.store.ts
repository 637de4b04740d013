import type { Kysely } from 'kysely'
import type { AttachmentRow, AttachmentTables } from './attachments.table.ts'

/** The only code that touches `attachments`. */
export type AttachmentStore = {
  /** Throws a unique violation when the thread already has an attachment at this path. */
  insert(row: AttachmentRow): Promise<void>
  find(threadId: string, attachmentId: string): Promise<AttachmentRow | undefined>
  /** Attachments that the sandbox has no copy of, oldest first. */
  pending(threadId: string): Promise<AttachmentRow[]>
  setDelivered(attachmentId: string, at: number): Promise<void>
}

export function makeAttachmentStore(database: Kysely<AttachmentTables>): AttachmentStore {
  return {
    insert: async (row) => {
      await database.insertInto('attachments').values(row).execute()
    },
    find: (threadId, attachmentId) =>
      database
        .selectFrom('attachments')
        .selectAll()
        .where('thread_id', '=', threadId)
        .where('id', '=', attachmentId)
        .executeTakeFirst(),
    pending: (threadId) =>
      database
        .selectFrom('attachments')
        .selectAll()
        .where('thread_id', '=', threadId)
        .where('delivered_at', 'is', null)
        .orderBy('created_at')
        .execute(),
    setDelivered: async (attachmentId, at) => {
      await database.updateTable('attachments').set({ delivered_at: at }).where('id', '=', attachmentId).execute()
    },
  }
}
