import SqliteDatabase from 'better-sqlite3'
import {
  type Dialect,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  SqliteDialect,
  type SqliteDatabase as SqliteDialectDatabase,
  sql,
  type Transaction,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'

export type DatabaseKind = 'sqlite' | 'postgres'

/** The open database and its kind, for the few places where the two need different SQL. */
export type OpenDatabase = {
  kind: DatabaseKind
  database: Kysely<unknown>
  dialect: Dialect
  close(): Promise<void>
}

/**
 * Opens Postgres or the embedded database in a file (in tests: `:memory:`, or the content of a file). The embedded one
 * waits for the disk at each commit: what a user saw as saved must survive a power cut.
 */
export function openDatabase(target: { file: string | Buffer } | { url: string }): OpenDatabase {
  return 'file' in target ? openSqlite(target.file) : openPostgres(target.url)
}

/** The same database, typed for a feature that knows only its own tables. */
export function tablesOf<Tables>(database: Kysely<unknown>): Kysely<Tables> {
  return database as unknown as Kysely<Tables>
}

function openSqlite(file: string | Buffer): OpenDatabase {
  const connection = new SqliteDatabase(file)
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  // A backup or the sqlite3 tool can lock the file for a moment.
  connection.pragma('busy_timeout = 5000')
  const dialect = new SqliteDialect({ database: withKeptStatements(connection) })
  const database = new Kysely<unknown>({ dialect })
  return { kind: 'sqlite', database, dialect, close: () => database.destroy() }
}

/**
 * Runs a transaction that does not wait for the disk. What it wrote is visible immediately and survives any end of this process;
 * a power cut, and with Postgres a crash of its server, can undo it, together with all that came later. The next transaction
 * that waits makes it durable too. Only for what can be found out again, and what no reader could take for recorded.
 */
export async function withoutDiskWait<Tables, Result>(
  database: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  if (database.getExecutor().adapter instanceof PostgresAdapter) {
    return await database.transaction().execute(async (transaction) => {
      await sql`set local synchronous_commit to off`.execute(transaction)
      return await work(transaction)
    })
  }
  return await database.connection().execute(async (connection) => {
    await sql`pragma synchronous = normal`.execute(connection)
    try {
      return await connection.transaction().execute(work)
    } finally {
      await sql`pragma synchronous = full`.execute(connection)
    }
  })
}

/** Number of prepared statements that are kept. A kept statement is not parsed again. */
const keptStatements = 300

/** Each statement runs to its end before the next starts, so equal texts can share one. */
function withKeptStatements(connection: SqliteDatabase.Database): SqliteDialectDatabase {
  const kept = new LRUCache<string, SqliteDatabase.Statement>({ max: keptStatements })
  return {
    close: () => connection.close(),
    prepare: (text) => {
      // SQLite applies these when it reads them, not when they run.
      if (text.startsWith('pragma ')) return connection.prepare(text)
      const statement = kept.get(text) ?? connection.prepare(text)
      kept.set(text, statement)
      return statement
    },
  }
}

function openPostgres(url: string): OpenDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 10, types: { getTypeParser: parserOf } })
  // The pool replaces a connection that breaks while idle; without a listener the error would end the process.
  pool.on('error', () => {})
  const dialect = new PostgresDialect({ pool })
  const database = new Kysely<unknown>({ dialect })
  return { kind: 'postgres', database, dialect, close: () => database.destroy() }
}

/** Postgres sends bigint as text; the server's values are milliseconds, bytes and sequence numbers, all below 2^53. */
const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')

/** Returns whether an insert or update failed because the row already exists. */
export function isUniqueViolation(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === '23505'
}
