import { makeSingleFlight } from '@threadbox/concurrency'
import { toWireError } from '@threadbox/errors'
import type { Connection } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { ConnectionRow } from './connections.table.ts'
import type { Programs } from './programs.ts'
import { checkServer, type ServerCheckDependencies } from './server-look.ts'

/**
 * Lists the tools of programs in the background. A first start can take minutes to install packages, so it outlives the
 * request that triggered it; until it ends the connection is `starting`.
 */
export type ProgramChecks = AsyncDisposable & {
  /**
   * Resolves when the connection is recorded as starting. Runs one check at a time per program; a second call joins the
   * first.
   */
  begin(row: ConnectionRow): Promise<void>
}

export function makeProgramChecks(
  dependencies: ServerCheckDependencies & { programs: Programs; logger: Logger },
): ProgramChecks {
  const { store, programs, logger, now } = dependencies
  const closing = new AbortController()
  const running = makeSingleFlight()
  const check = async (row: ConnectionRow) => {
    try {
      await checkServer(dependencies, row, closing.signal)
    } catch (error) {
      // At its next start the server records that this check was canceled.
      if (closing.signal.aborted) return
      logger.error({ err: error, connectionId: row.id }, 'the check of a program failed unexpectedly')
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
        await check(row).catch((error: unknown) =>
          logger.error({ err: error, connectionId: row.id }, 'the result of a check was not recorded'),
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
