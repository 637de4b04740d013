import type SqliteDatabase from 'better-sqlite3'
import { type Driver, type SqliteDatabase as KyselyDatabase, SqliteDriver, type SqliteStatement } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { DiskWait } from './disk-wait.ts'

export type DriverPorts = {
  connection: SqliteDatabase.Database
  diskWait: DiskWait
  /** Whether what asks for the connection now need not wait for the disk. Called once per use. */
  isExempt(): boolean
  close(): Promise<void>
}

/** Number of prepared statements that are kept. A kept statement is not parsed again. */
const keptStatements = 300

/**
 * One connection, which its users have one after the other. A user passes it on before it waits for the disk: the next one need
 * not wait too.
 *
 * Who wrote waits for that. Who had a transaction waits for what it can have read, too: so a request that finds its work done
 * by another one says so only when that is on the disk.
 */
export function makeDriver({ connection, diskWait, isExempt, close }: DriverPorts): Driver {
  const statements = observed(connection)
  const inner = new SqliteDriver({ database: statements.database })
  const take = makeTurns()
  let use = { pass: () => {}, waits: true, hadTransaction: false }
  return {
    init: (options) => inner.init(options),
    acquireConnection: async () => {
      const waits = !isExempt()
      const pass = await take()
      use = { pass, waits, hadTransaction: false }
      return await inner.acquireConnection()
    },
    beginTransaction: async (own) => {
      use.hadTransaction = true
      await inner.beginTransaction(own)
    },
    commitTransaction: (own) => inner.commitTransaction(own),
    rollbackTransaction: async (own) => {
      await inner.rollbackTransaction(own)
      statements.takeWrites()
    },
    savepoint: (own, name, compile) => inner.savepoint(own, name, compile),
    rollbackToSavepoint: (own, name, compile) => inner.rollbackToSavepoint(own, name, compile),
    releaseSavepoint: (own, name, compile) => inner.releaseSavepoint(own, name, compile),
    releaseConnection: async () => {
      const { pass, waits, hadTransaction } = use
      const hasWritten = statements.takeWrites()
      if (waits && hasWritten) diskWait.note()
      pass()
      if (waits && (hasWritten || hadTransaction)) await diskWait.settled()
    },
    destroy: async () => {
      const pass = await take()
      await diskWait.settled().finally(async () => {
        await inner.destroy()
        await close()
        pass()
      })
    },
  }
}

/** Resolves to the function that ends the turn, when all earlier turns have ended. */
function makeTurns(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve()
  return async () => {
    const turn = Promise.withResolvers<void>()
    const before = last
    last = turn.promise
    await before
    return turn.resolve
  }
}

/** The database as Kysely uses it, and whether anything was written since `takeWrites` was called last. */
function observed(connection: SqliteDatabase.Database): { database: KyselyDatabase; takeWrites(): boolean } {
  let hasWritten = false
  const kept = new LRUCache<string, SqliteStatement>({ max: keptStatements })
  const prepare = (text: string): SqliteStatement => {
    const statement = connection.prepare(text)
    return {
      reader: statement.reader,
      all: (parameters) => {
        const rows = statement.all(parameters)
        if (!statement.readonly && rows.length > 0) hasWritten = true
        return rows
      },
      run: (parameters) => {
        const result = statement.run(parameters)
        if (result.changes > 0) hasWritten = true
        return result
      },
      iterate: (parameters) => statement.iterate(parameters),
    }
  }
  return {
    database: {
      close: () => connection.close(),
      prepare: (text) => {
        // Each statement runs to its end before the next starts, so equal texts can share one.
        const statement = kept.get(text) ?? prepare(text)
        kept.set(text, statement)
        return statement
      },
    },
    takeWrites: () => {
      const wrote = hasWritten
      hasWritten = false
      return wrote
    },
  }
}
