import { openSqlite, withoutDiskWait as withoutSqliteWait } from '@threadbox/sqlite'
import { type Dialect, Kysely, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely'
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
  return 'file' in target ? openEmbedded(target.file) : openPostgres(target.url)
}

/** The same database, typed for a feature that knows only its own tables. */
export function tablesOf<Tables>(database: Kysely<unknown>): Kysely<Tables> {
  return database as unknown as Kysely<Tables>
}

function openEmbedded(file: string | Buffer): OpenDatabase {
  const { dialect } = openSqlite(file)
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
  return await withoutSqliteWait(database, (connection) => connection.transaction().execute(work))
}

/**
 * Waits until no other transaction, in any server, holds one of these locks, and holds them until this one ends: what it then
 * counts stays true. Nothing to do in SQLite, which has one writer.
 */
export async function lockUntilEnd<Tables>(
  transaction: Transaction<Tables>,
  name: string,
  keys: readonly string[],
): Promise<void> {
  if (!(transaction.getExecutor().adapter instanceof PostgresAdapter)) return
  // In one order, so that two transactions never wait for each other.
  for (const key of keys.toSorted()) {
    await sql`select pg_advisory_xact_lock(hashtext(${name}), hashtext(${key}))`.execute(transaction)
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
