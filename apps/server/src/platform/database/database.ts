import SqliteDatabase from 'better-sqlite3'
import {
  type Dialect,
  Kysely,
  PostgresDialect,
  SqliteDialect,
  type SqliteDatabase as SqliteDialectDatabase,
} from 'kysely'
import { LRUCache } from 'lru-cache'
import pg from 'pg'

export type DatabaseKind = 'sqlite' | 'postgres'

/** The open database and which kind it is, for the few places where the two speak differently. */
export type OpenDatabase = {
  kind: DatabaseKind
  database: Kysely<unknown>
  dialect: Dialect
  close(): Promise<void>
}

/**
 * Opens the embedded database in a file (for tests in memory: `:memory:`, or the content of a file) or Postgres. The
 * embedded one waits for the disk at each commit: what a person typed and saw as saved must survive a power cut.
 */
export function openDatabase(target: { file: string | Buffer } | { url: string }): OpenDatabase {
  return 'file' in target ? openSqlite(target.file) : openPostgres(target.url)
}

/** The same database, seen by a feature that knows only its own tables. */
export function tablesOf<Tables>(database: Kysely<unknown>): Kysely<Tables> {
  return database as unknown as Kysely<Tables>
}

function openSqlite(file: string | Buffer): OpenDatabase {
  const connection = new SqliteDatabase(file)
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.pragma('foreign_keys = ON')
  // A backup or a look with the sqlite3 tool may hold the file for a moment.
  connection.pragma('busy_timeout = 5000')
  const dialect = new SqliteDialect({ database: withKeptStatements(connection) })
  const database = new Kysely<unknown>({ dialect })
  return { kind: 'sqlite', database, dialect, close: () => database.destroy() }
}

/** Statements that were prepared last; one that is used again need not be parsed again. */
const keptStatements = 300

/** Each statement is run to its end before the next begins, so the same text may share one. */
function withKeptStatements(connection: SqliteDatabase.Database): SqliteDialectDatabase {
  const kept = new LRUCache<string, SqliteDatabase.Statement>({ max: keptStatements })
  return {
    close: () => connection.close(),
    prepare: (sql) => {
      const statement = kept.get(sql) ?? connection.prepare(sql)
      kept.set(sql, statement)
      return statement
    },
  }
}

function openPostgres(url: string): OpenDatabase {
  const pool = new pg.Pool({ connectionString: url, max: 10, types: { getTypeParser: parserOf } })
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on('error', () => {})
  const dialect = new PostgresDialect({ pool })
  const database = new Kysely<unknown>({ dialect })
  return { kind: 'postgres', database, dialect, close: () => database.destroy() }
}

/** Postgres sends bigint as text; ours are milliseconds, bytes and sequence numbers, all below 2^53. */
const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')

/** True when an insert or update failed because the row is already there. */
export function isUniqueViolation(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === '23505'
}
