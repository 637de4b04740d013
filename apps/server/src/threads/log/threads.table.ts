import type { Kysely } from 'kysely'

export type ThreadRow = {
  id: string
  user_id: string
  title: string
  title_source: string
  created_at: number
  updated_at: number
  is_pinned: number
  /** When a user deleted the thread; after the undo time it is deleted permanently. */
  deleted_at: number | null
  model_id: string | null
  /** Number of the last recorded event. */
  last_seq: number
  /** Events up to this one are no longer kept. */
  pruned_seq: number
  /** Number of the last event that makes the thread unread. */
  news_seq: number
  read_seq: number
  running_turn_id: string | null
  /** Null: outside of all workspaces. */
  workspace_id: string | null
  /** What it was forked from, as JSON; null for a thread that wasn't forked. */
  forked_from_json: string | null
  /** The agent that it was started from, as JSON; null for a thread without one. */
  started_from_json: string | null
  /** 1: in a workspace, only its creator sees it. */
  is_private: number
  /**
   * 1: other people could work in it before, so what is its creator’s own, such as connections, stays unusable until they
   * allow it again.
   */
  is_personal_off: number
}

/** A thread in the sidebar of a person who did not create it. Its creator’s are in `threads`. */
export type ThreadViewRow = { thread_id: string; user_id: string; is_pinned: number; read_seq: number }

/** An entry as of `updated_seq`; later deltas are in `thread_events`. `position` orders the conversation. */
export type EntryRow = {
  thread_id: string
  id: string
  position: number
  turn_id: string
  kind: string
  json: string
  updated_seq: number
}
export type TurnViewRow = { thread_id: string; id: string; json: string; position: number }
/** `entry_id` is set only for deltas that the entry's row doesn't include. */
export type EventRow = { thread_id: string; seq: number; entry_id: string | null; json: string }

export type ThreadTables = {
  threads: ThreadRow
  thread_views: ThreadViewRow
  thread_entries: EntryRow
  thread_turns: TurnViewRow
  thread_events: EventRow
}

export async function createThreadTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('threads')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('title_source', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .addColumn('is_pinned', 'integer', (column) => column.notNull())
    .addColumn('deleted_at', 'bigint')
    .addColumn('model_id', 'text')
    .addColumn('last_seq', 'bigint', (column) => column.notNull())
    .addColumn('pruned_seq', 'bigint', (column) => column.notNull())
    .addColumn('news_seq', 'bigint', (column) => column.notNull())
    .addColumn('read_seq', 'bigint', (column) => column.notNull())
    .addColumn('running_turn_id', 'text')
    .execute()
  await database.schema
    .createIndex('threads_list_idx')
    .on('threads')
    .columns(['user_id', 'is_pinned', 'updated_at', 'id'])
    .execute()
  await createLogTables(database)
}

/** A thread can start as a fork of another one. */
export async function addForkColumn(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('threads').addColumn('forked_from_json', 'text').execute()
}

async function createLogTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('thread_entries')
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('turn_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('json', 'text', (column) => column.notNull())
    .addColumn('updated_seq', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('thread_entries_pk', ['thread_id', 'id'])
    .addUniqueConstraint('thread_entries_position', ['thread_id', 'position'])
    .execute()
  await database.schema
    .createTable('thread_turns')
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('json', 'text', (column) => column.notNull())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('thread_turns_pk', ['thread_id', 'id'])
    .execute()
  await database.schema
    .createTable('thread_events')
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('entry_id', 'text')
    .addColumn('json', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('thread_events_pk', ['thread_id', 'seq'])
    .execute()
  await database.schema
    .createIndex('thread_events_entry_idx')
    .on('thread_events')
    .columns(['thread_id', 'entry_id', 'seq'])
    .execute()
}

/** Threads that existed before are shared with the members of their workspace, which had one. */
export async function addSharedThreads(database: Kysely<never>): Promise<void> {
  for (const column of ['is_private', 'is_personal_off']) {
    await database.schema
      .alterTable('threads')
      .addColumn(column, 'integer', (definition) => definition.notNull().defaultTo(0))
      .execute()
  }
  await database.schema
    .createTable('thread_views')
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('is_pinned', 'integer', (column) => column.notNull())
    .addColumn('read_seq', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('thread_views_pk', ['thread_id', 'user_id'])
    .execute()
  await database.schema
    .createIndex('threads_shared_idx')
    .on('threads')
    .columns(['workspace_id', 'updated_at', 'id'])
    .execute()
}
