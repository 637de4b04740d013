import type { Entry } from '@threadbox/protocol/public'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { DatabaseKind } from '../../platform/database/database.ts'
import type { SearchTables } from './search.table.ts'
import { documentsOf, type SearchPlace, termsOf } from './search-documents.logic.ts'

export type FoundDocument = { threadId: string; entryId: string | null; place: SearchPlace; body: string; at: number }

export type SearchQuery = { text: string; userId: string; within: readonly string[] | null; limit: number }

/**
 * The search index of conversations. It is written in the transaction that records the change, so that it always
 * matches the conversation. The title of a thread is the document with an empty entry id.
 */
export type SearchIndex = {
  putEntry(transaction: Transaction<SearchTables>, threadId: string, entry: Entry): Promise<void>
  removeEntry(transaction: Transaction<SearchTables>, threadId: string, entryId: string): Promise<void>
  putTitle(database: Kysely<SearchTables>, thread: { id: string; title: string; at: number }): Promise<void>
  /**
   * Documents of threads that the user can see and that contain every word of the query, newest first. `within`: only of threads in
   * these workspaces.
   */
  find(query: SearchQuery): Promise<FoundDocument[]>
}

export function makeSearchIndex(options: { database: Kysely<SearchTables>; kind: DatabaseKind }): SearchIndex {
  const put = async (
    database: Kysely<SearchTables>,
    document: { thread_id: string; entry_id: string; place: string; body: string; at: number },
  ) => {
    await database
      .insertInto('search_documents')
      .values(document)
      .onConflict((conflict) =>
        conflict.columns(['thread_id', 'entry_id', 'place']).doUpdateSet({ body: document.body }),
      )
      .execute()
  }
  return {
    putEntry: async (transaction, threadId, entry) => {
      for (const { place, body } of documentsOf(entry)) {
        await put(transaction, { thread_id: threadId, entry_id: entry.id, place, body, at: entry.at })
      }
    },
    removeEntry: async (transaction, threadId, entryId) => {
      await transaction
        .deleteFrom('search_documents')
        .where('thread_id', '=', threadId)
        .where('entry_id', '=', entryId)
        .execute()
    },
    putTitle: (database, thread) =>
      put(database, { thread_id: thread.id, entry_id: '', place: 'title', body: thread.title, at: thread.at }),
    find: (query) => find(options, query),
  }
}

async function find(
  options: { database: Kysely<SearchTables>; kind: DatabaseKind },
  query: SearchQuery,
): Promise<FoundDocument[]> {
  const terms = termsOf(query.text)
  const { userId, within } = query
  if (terms.length === 0 || within?.length === 0) return []
  const isWithin = within === null ? sql`true` : sql`workspace_id in (${sql.join(within)})`
  const isMember = sql`workspace_id in (select workspace_id from workspace_members where user_id = ${userId})`
  const isVisible = sql`(${isMember} and (is_private = 0 or user_id = ${userId}) or workspace_id is null and user_id = ${userId})`
  const rows = await options.database
    .selectFrom('search_documents')
    .select(['thread_id', 'entry_id', 'place', 'body', 'at'])
    .where(
      sql<boolean>`thread_id in (select id from threads where deleted_at is null and ${isVisible} and ${isWithin})`,
    )
    .where((builder) => builder.and(terms.map((term) => matches(options.kind, term))))
    .orderBy('at', 'desc')
    .orderBy('number', 'desc')
    .limit(query.limit)
    .execute()
  return rows.map((row) => ({
    threadId: row.thread_id,
    entryId: row.entry_id === '' ? null : row.entry_id,
    place: row.place as SearchPlace,
    body: row.body,
    at: row.at,
  }))
}

/** The trigram table needs at least 3 characters; shorter words are compared one by one. */
function matches(kind: DatabaseKind, term: string) {
  const pattern = `%${term.replace(/[\\%_]/g, (character) => `\\${character}`)}%`
  if (kind === 'sqlite' && [...term].length >= 3) {
    const quoted = `"${term.replaceAll('"', '""')}"`
    return sql<boolean>`number in (select rowid from search_index where search_index match ${quoted})`
  }
  return sql<boolean>`lower(body) like ${pattern} escape '\\'`
}
