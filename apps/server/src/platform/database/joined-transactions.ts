import { AsyncLocalStorage } from 'node:async_hooks'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryResult,
  type Transaction,
  type TransactionSettings,
} from 'kysely'

/** Runs work in one transaction. Everything that the work does with the database joins it. */
export type JoinedTransactions = {
  /**
   * Commits when `work` returns, and rolls back when it throws. Within another call, the work is a savepoint of that
   * one. Run inner transactions one after the other: savepoints nest, so two at the same time fail.
   */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>
  /** Calls `action` when the running transaction has committed; without one, immediately. */
  afterCommit(action: () => void): void
}

type Scope = { transaction: Transaction<unknown>; isOpen: boolean; savepoints: number; afterCommit: (() => void)[] }
type Running = AsyncLocalStorage<Scope>

/**
 * A dialect whose connections join the transaction that `transaction` has opened in the caller’s async context, and the
 * functions for a database with this dialect. Work that outlives its transaction gets a connection of its own.
 */
export function joinTransactions(dialect: Dialect): {
  dialect: Dialect
  forDatabase(database: Kysely<unknown>): JoinedTransactions
} {
  const running: Running = new AsyncLocalStorage()
  return {
    dialect: {
      createAdapter: () => withManyConnections(dialect.createAdapter()),
      createDriver: () => new JoiningDriver(dialect.createDriver(), running, isShared(dialect.createAdapter())),
      createIntrospector: (database) => dialect.createIntrospector(database),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
    forDatabase: (database) => ({
      transaction: (work) => runInScope({ database, running }, work),
      afterCommit: (action) => {
        const scope = running.getStore()
        if (scope?.isOpen === true) scope.afterCommit.push(action)
        else action()
      },
    }),
  }
}

async function runInScope<Result>(
  { database, running }: { database: Kysely<unknown>; running: Running },
  work: () => Promise<Result>,
): Promise<Result> {
  const outer = running.getStore()
  if (outer?.isOpen === true) return await runInSavepoint({ database, outer }, work)
  const afterCommit: (() => void)[] = []
  const result = await database.transaction().execute(async (transaction) => {
    const scope: Scope = { transaction, isOpen: true, savepoints: 0, afterCommit }
    try {
      return await running.run(scope, work)
    } finally {
      scope.isOpen = false
    }
  })
  for (const action of afterCommit) action()
  return result
}

/** What inner work asked for after the commit is forgotten when it is rolled back. */
async function runInSavepoint<Result>(
  { database, outer }: { database: Kysely<unknown>; outer: Scope },
  work: () => Promise<Result>,
): Promise<Result> {
  const known = outer.afterCommit.length
  try {
    return await database.transaction().execute(work)
  } catch (error) {
    outer.afterCommit.length = known
    throw error
  }
}

const isShared = (adapter: DialectAdapter) => adapter.supportsMultipleConnections === false

/** Kysely’s own lock of a single connection would make joined work wait for itself: the driver below has one instead. */
function withManyConnections(adapter: DialectAdapter): DialectAdapter {
  return new Proxy(adapter, {
    get: (target, name) => {
      if (name === 'supportsMultipleConnections') return true
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

class JoiningDriver implements Driver {
  readonly #driver: Driver
  readonly #running: Running
  readonly #lock: Lock | undefined

  constructor(driver: Driver, running: Running, isSharedConnection: boolean) {
    this.#driver = driver
    this.#running = running
    this.#lock = isSharedConnection ? makeLock() : undefined
  }

  init = (): Promise<void> => this.#driver.init()

  acquireConnection = async (): Promise<DatabaseConnection> => {
    const scope = this.#running.getStore()
    if (scope?.isOpen === true) return new JoinedConnection(scope)
    await this.#lock?.take()
    try {
      return await this.#driver.acquireConnection()
    } catch (error) {
      this.#lock?.release()
      throw error
    }
  }

  releaseConnection = async (connection: DatabaseConnection): Promise<void> => {
    if (connection instanceof JoinedConnection) return
    await this.#driver.releaseConnection(connection)
    this.#lock?.release()
  }

  beginTransaction = async (connection: DatabaseConnection, settings: TransactionSettings): Promise<void> => {
    if (connection instanceof JoinedConnection) await connection.begin()
    else await this.#driver.beginTransaction(connection, settings)
  }

  commitTransaction = async (connection: DatabaseConnection): Promise<void> => {
    if (connection instanceof JoinedConnection) await connection.commit()
    else await this.#driver.commitTransaction(connection)
  }

  rollbackTransaction = async (connection: DatabaseConnection): Promise<void> => {
    if (connection instanceof JoinedConnection) await connection.rollback()
    else await this.#driver.rollbackTransaction(connection)
  }

  destroy = (): Promise<void> => this.#driver.destroy()
}

/** A connection within a running transaction. Its own transactions are savepoints. */
class JoinedConnection implements DatabaseConnection {
  readonly #scope: Scope
  #savepoint = ''

  constructor(scope: Scope) {
    this.#scope = scope
  }

  executeQuery = <Row>(query: CompiledQuery): Promise<QueryResult<Row>> =>
    this.#scope.transaction.executeQuery(query as CompiledQuery<Row>)

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query)
  }

  begin = async (): Promise<void> => {
    this.#scope.savepoints += 1
    this.#savepoint = `joined_${this.#scope.savepoints}`
    await this.executeQuery(CompiledQuery.raw(`savepoint ${this.#savepoint}`))
  }

  commit = async (): Promise<void> => {
    await this.executeQuery(CompiledQuery.raw(`release savepoint ${this.#savepoint}`))
  }

  rollback = async (): Promise<void> => {
    await this.executeQuery(CompiledQuery.raw(`rollback to savepoint ${this.#savepoint}`))
    await this.commit()
  }
}

type Lock = { take(): Promise<void>; release(): void }

/** Callers take it in the order in which they asked. */
function makeLock(): Lock {
  const waiting: (() => void)[] = []
  let isTaken = false
  return {
    take: async () => {
      if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve))
      isTaken = true
    },
    release: () => {
      const next = waiting.shift()
      if (next === undefined) isTaken = false
      else next()
    },
  }
}
