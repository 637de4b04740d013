import { type Generated, type Kysely, sql } from 'kysely'
import type { DatabaseKind } from '../../platform/database/database.ts'

/** A searchable text: `place` is title, text, command or file. */
export type SearchDocumentRow = {
  number: Generated<number>
  thread_id: string
  entry_id: string
  place: string
  body: string
  at: number
}
export type SearchTables = { search_documents: SearchDocumentRow }

/**
 * The embedded database finds parts of words with a full-text table of trigrams; Postgres uses `LIKE`, with a trigram
 * index if the extension is available.
 */
export async function createSearchTables(database: Kysely<never>, kind: DatabaseKind): Promise<void> {
  await database.schema
    .createTable('search_documents')
    .addColumn('number', kind === 'sqlite' ? 'integer' : 'bigserial', (column) => column.primaryKey())
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('entry_id', 'text', (column) => column.notNull())
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('body', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('search_documents_place', ['thread_id', 'entry_id', 'place'])
    .execute()
  if (kind === 'sqlite') await createSqliteIndex(database)
  else await createPostgresIndex(database)
}

/** The full-text table has no text of its own; triggers keep it in sync with `search_documents`. */
async function createSqliteIndex(database: Kysely<never>): Promise<void> {
  await sql`create virtual table search_index using fts5(
    body, content='search_documents', content_rowid='number', tokenize='trigram'
  )`.execute(database)
  await sql`create trigger search_documents_added after insert on search_documents begin
    insert into search_index(rowid, body) values (new.number, new.body);
  end`.execute(database)
  await sql`create trigger search_documents_removed after delete on search_documents begin
    insert into search_index(search_index, rowid, body) values ('delete', old.number, old.body);
  end`.execute(database)
  await sql`create trigger search_documents_changed after update on search_documents begin
    insert into search_index(search_index, rowid, body) values ('delete', old.number, old.body);
    insert into search_index(rowid, body) values (new.number, new.body);
  end`.execute(database)
}

async function createPostgresIndex(database: Kysely<never>): Promise<void> {
  const available = await sql<{ name: string }>`
    select name from pg_available_extensions where name = 'pg_trgm'`.execute(database)
  if (available.rows.length === 0) return
  await sql`savepoint trigram_index`.execute(database)
  try {
    await sql`create extension if not exists pg_trgm`.execute(database)
    await sql`create index search_documents_body_idx on search_documents using gin (lower(body) gin_trgm_ops)`.execute(
      database,
    )
    await sql`release savepoint trigram_index`.execute(database)
  } catch {
    // A role without permission to create extensions searches without an index: slower, with the same results.
    await sql`rollback to savepoint trigram_index`.execute(database)
  }
}
