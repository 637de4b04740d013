import { makeSingleFlight, pLimit } from '@threadbox/concurrency'
import type { Sandbox } from '../state/sandbox.logic.ts'
import type { ArchivesDependencies } from './archives.dependencies.ts'
import { bringBack } from './bring-back.ts'
import { leave } from './leave.ts'
import { settleArchives, tidyStore } from './tidy.ts'

/** Moves the files of unused sandboxes out of the host, and back when they are used. */
export type Archives = {
  /**
   * Moves the files of a cold sandbox to the archive. A use of the sandbox in the meantime is not delayed: the files then
   * stay. Throws `archive.not-set-up`, `archive.not-asleep`, `archive.store-unreachable`.
   */
  leave(row: Sandbox): Promise<void>
  /**
   * Restores the files of an archived sandbox; does nothing to another one. Concurrent calls share one restore. Throws
   * `archive.store-unreachable`, `archive.files-lost`, `archive.no-space`; the files then stay archived.
   */
  bringBack(threadId: string): Promise<void>
  /** The archived files of this sandbox are no longer needed; they are deleted as soon as the store can be reached. */
  forget(sandboxId: string): Promise<void>
  /** Completes what a crash interrupted. */
  recover(): Promise<void>
  /** Deletes what is no longer needed from the store, if it was not tried recently. Never fails. */
  tidy(): void
  shiftTimes(byMs: number): Promise<void>
  hasStore: boolean
  settled(): Promise<void>
}

/** Each reads a whole disk. */
const maxLeaving = 1
const tidyEveryMs = 10 * 60_000

export function makeArchives(dependencies: ArchivesDependencies): Archives {
  const { store, sandboxes, place, system, logger } = dependencies
  const leaving = makeSingleFlight<void>()
  const returning = makeSingleFlight<void>()
  const tidying = makeSingleFlight<void>()
  const limit = pLimit(maxLeaving)
  let tidiedAt = Number.NEGATIVE_INFINITY
  const tidy = () => {
    if (Math.abs(system.now() - tidiedAt) < tidyEveryMs) return
    tidiedAt = system.now()
    void tidying.join('tidy', () =>
      tidyStore(dependencies).catch((error: unknown) =>
        logger.warn({ err: error }, 'the archive store was not tidied'),
      ),
    )
  }
  return {
    leave: (row) => leaving.join(row.id, () => limit(() => leave(dependencies, row))),
    bringBack: async (threadId) => {
      const row = await sandboxes.find(threadId)
      if (row?.state === 'archived') await returning.join(row.id, () => bringBack(dependencies, row))
    },
    forget: async (sandboxId) => {
      await store.discardOf(sandboxId, system.now())
      tidiedAt = Number.NEGATIVE_INFINITY
      tidy()
    },
    recover: async () => {
      await settleArchives(dependencies)
      tidy()
    },
    tidy,
    shiftTimes: store.shiftTimes,
    hasStore: place.place !== undefined,
    settled: async () => {
      await Promise.all([leaving.settled(), returning.settled(), tidying.settled()])
    },
  }
}
