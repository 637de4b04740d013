import type { Attachment } from '@threadbox/protocol/public'
import type { Kysely } from 'kysely'
import type { Writer } from '../record/turn-history.ts'
import type { QueuedMessageRow, TurnTables } from '../record/turns.table.ts'

/** A message that waits for its turn. `held`: until a user resumes the queue. */
export type QueuedMessage = {
  entryId: string
  threadId: string
  turnId: string
  position: number
  status: 'queued' | 'held'
  text: string
  attachments: Attachment[]
  /** See `TurnRecord`. */
  isUnattended: boolean
  authorId: string | null
  createdAt: number
}

/** The only code that touches `queued_messages` and `message_keys`. */
export type QueueStore = {
  list(threadId: string): Promise<QueuedMessage[]>
  /** Threads with a waiting message that isn't held. */
  waitingThreads(): Promise<string[]>
  add(message: QueuedMessage, writer: Writer): Promise<void>
  change(
    entryId: string,
    change: Partial<Pick<QueuedMessage, 'text' | 'position' | 'status'>>,
    writer: Writer,
  ): Promise<void>
  remove(entryId: string, writer: Writer): Promise<void>
  findKey(threadId: string, key: string): Promise<{ entryId: string; turnId: string } | undefined>
  addKey(key: { threadId: string; key: string; entryId: string; turnId: string }, writer: Writer): Promise<void>
}

export function makeQueueStore(database: Kysely<TurnTables>): QueueStore {
  return {
    list: async (threadId) => {
      const rows = database.selectFrom('queued_messages').selectAll().where('thread_id', '=', threadId)
      return (await rows.orderBy('position').execute()).map(messageOf)
    },
    waitingThreads: async () => {
      const rows = database.selectFrom('queued_messages').select('thread_id').where('status', '=', 'queued')
      return (await rows.distinct().execute()).map((row) => row.thread_id)
    },
    add: async (message, writer) => {
      const row: QueuedMessageRow = {
        entry_id: message.entryId,
        thread_id: message.threadId,
        turn_id: message.turnId,
        position: message.position,
        status: message.status,
        text: message.text,
        attachments_json: JSON.stringify(message.attachments),
        is_unattended: Number(message.isUnattended),
        author_id: message.authorId,
        created_at: message.createdAt,
      }
      await writer.insertInto('queued_messages').values(row).execute()
    },
    change: async (entryId, change, writer) => {
      await writer.updateTable('queued_messages').set(change).where('entry_id', '=', entryId).execute()
    },
    remove: async (entryId, writer) => {
      await writer.deleteFrom('queued_messages').where('entry_id', '=', entryId).execute()
    },
    findKey: async (threadId, key) => {
      const rows = database.selectFrom('message_keys').select(['entry_id', 'turn_id']).where('thread_id', '=', threadId)
      const row = await rows.where('message_key', '=', key).executeTakeFirst()
      return row === undefined ? undefined : { entryId: row.entry_id, turnId: row.turn_id }
    },
    addKey: async ({ threadId, key, entryId, turnId }, writer) => {
      const row = { thread_id: threadId, message_key: key, entry_id: entryId, turn_id: turnId }
      await writer.insertInto('message_keys').values(row).execute()
    },
  }
}

function messageOf(row: QueuedMessageRow): QueuedMessage {
  return {
    entryId: row.entry_id,
    threadId: row.thread_id,
    turnId: row.turn_id,
    position: row.position,
    status: row.status === 'held' ? 'held' : 'queued',
    text: row.text,
    attachments: JSON.parse(row.attachments_json) as Attachment[],
    isUnattended: row.is_unattended === 1,
    authorId: row.author_id,
    createdAt: row.created_at,
  }
}
