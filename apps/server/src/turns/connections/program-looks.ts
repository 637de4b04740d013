import { makeSingleFlight } from '@threadbox/concurrency'
import { toWireError } from '@threadbox/errors'
import type { Connection } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { ConnectionRow } from './connections.table.ts'
import type { Programs } from './programs.ts'
import { type Look, lookAtServer } from './server-look.ts'

/**
 * Looks at the programs of connections. A first start may install packages for minutes, so it goes on without the request
 * that asked for it; the connection is `starting` meanwhile.
 */
export type ProgramLooks = AsyncDisposable & {
  /** Resolves when the connection says that it is starting. One at a time per program: a second wish joins the first. */
  begin(row: ConnectionRow): Promise<void>
}

export function makeProgramLooks(dependencies: Look & { programs: Programs; logger: Logger }): ProgramLooks {
  const { store, programs, logger, now } = dependencies
  const closing = new AbortController()
  const running = makeSingleFlight()
  const look = async (row: ConnectionRow) => {
    try {
      await lookAtServer(dependencies, row, closing.signal)
    } catch (error) {
      // The next start of the server says that nobody looks any more.
      if (closing.signal.aborted) return
      logger.error({ err: error, connectionId: row.id }, 'look at a program failed unexpectedly')
      const { code, message, remedy } = toWireError(error).error
      const failed: NonNullable<Connection['failure']> = { code, message, remedy, details: {} }
      await store.changeTools(row, (known) => ({
        tools: known,
        columns: { status: 'failed', failure_json: JSON.stringify(failed), checked_at: now() },
      }))
    }
  }
  return {
    begin: async (row) => {
      programs.forgive(row.id)
      const key = `${row.id} ${row.revision}`
      if (running.present(key) !== undefined || closing.signal.aborted) return
      const columns = { status: 'starting', failure_json: null }
      const starting = Promise.withResolvers<void>()
      void running.join(key, async () => {
        try {
          await store.changeTools(row, (known) => ({ tools: known, columns }))
          starting.resolve()
        } catch (error) {
          return starting.reject(error)
        }
        await look(row).catch((error: unknown) =>
          logger.error({ err: error, connectionId: row.id }, 'a look was not recorded'),
        )
      })
      await starting.promise
    },
    [Symbol.asyncDispose]: async () => {
      closing.abort()
      await running.settled()
    },
  }
}
