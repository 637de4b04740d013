import { AsyncLocalStorage } from 'node:async_hooks'
import { type FileHandle, open } from 'node:fs/promises'
import SqliteDatabase from 'better-sqlite3'
import { type Dialect, type Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { makeDiskWait } from './disk-wait.ts'
import { makeDriver } from './sqlite-driver.ts'

export type OpenSqlite = { connection: SqliteDatabase.Database; dialect: Dialect }

/** Who begins a use of the connection in here need not wait for the disk. */
const exemption = new AsyncLocalStorage<boolean>()

/**
 * Opens a database in a file (in tests: `:memory:`, or the content of a file). What a write resolves for survives a power cut.
 *
 * SQLite itself would wait for the disk in each commit, and block the process. Here it doesn’t wait, and a thread syncs the file
 * that has the commits (https://sqlite.org/wal.html): the process continues, and all commits made during a sync share the next
 * one. Commits are in that file in their order, so a sync makes all earlier ones durable, too.
 */
export function openSqlite(file: string | Buffer): OpenSqlite {
  const connection = new SqliteDatabase(file)
  const isInWal = connection.pragma('journal_mode = WAL', { simple: true }) === 'wal'
  // Before it copies commits to the database file, SQLite waits for the disk with this setting too.
  connection.pragma(`synchronous = ${isInWal ? 'NORMAL' : 'FULL'}`)
  connection.pragma('foreign_keys = ON')
  // A backup or the sqlite3 tool can lock the file for a moment.
  connection.pragma('busy_timeout = 5000')
  const log = isInWal ? openLog(`${file}-wal`) : { sync: async () => undefined, close: async () => undefined }
  return { connection, dialect: makeDialect({ connection, ...log }) }
}

/**
 * Lets `work` write without waiting for the disk. What it wrote is visible immediately and survives any end of this process; a
 * power cut can undo it, together with all that came later. The next write that waits makes it durable too.
 */
export async function withoutDiskWait<Tables, Result>(
  database: Kysely<Tables>,
  work: (connection: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  // What `work` begins besides gets the connection in its own turn, and waits.
  const own = (connection: Kysely<Tables>) => exemption.run(false, () => work(connection))
  return await exemption.run(true, () => database.connection().execute(own))
}

/** `sync` resolves when all commits before its call are on the disk. */
type Log = { sync(): Promise<void>; close(): Promise<void> }

/** The file exists once something was written, and stays the same while the database is open. */
function openLog(file: string): Log {
  let handle: FileHandle | undefined
  return {
    sync: async () => {
      handle ??= await open(file, 'r')
      await handle.datasync()
    },
    close: async () => await handle?.close(),
  }
}

type DialectPorts = Log & { connection: SqliteDatabase.Database }

/** Use {@link openSqlite}. Exported for tests, which make the disk slow. */
export function makeDialect({ connection, sync, close }: DialectPorts): Dialect {
  const isExempt = () => exemption.getStore() === true
  const driver = makeDriver({ connection, diskWait: makeDiskWait(sync), isExempt, close })
  return {
    createAdapter: () => new PassingAdapter(),
    createDriver: () => driver,
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** Kysely would let each user of the one connection wait for the disk before the next gets it: the driver passes it on. */
class PassingAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }

  /** SQLite undoes changes of tables as any others: a power cut leaves all of the migrations that ran, or none. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}
