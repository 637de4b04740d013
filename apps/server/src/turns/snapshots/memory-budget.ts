import { makeSerial } from '@threadbox/concurrency'
import type { Kysely } from 'kysely'
import { budgetWaitMs, type HourlyLimits, hourMs } from './memory-budget.logic.ts'
import type { SnapshotTables } from './snapshots.table.ts'

/** Limits how much memory is saved within an hour, per thread and for all threads, across restarts of the server. */
export type MemoryBudget = {
  /** Reserves bytes for the memory of a turn; returns 0, or how many milliseconds to wait before the next attempt. */
  reserve(wanted: WantedMemory): Promise<number>
  /** Returns what `reserve` would, and reserves nothing. */
  waitMs(wanted: WantedMemory): Promise<number>
  /** Reserves bytes whatever the limits are, so that others count them. */
  take(wanted: WantedMemory): Promise<void>
  /** Records what was written in the end. */
  settle(turnId: string, bytes: number): Promise<void>
}

export type WantedMemory = { turnId: string; threadId: string; bytes: number }

export function makeMemoryBudget(options: {
  database: Kysely<SnapshotTables>
  limits: () => Promise<HourlyLimits>
  now: () => number
}): MemoryBudget {
  const { database, limits, now } = options
  const inOrder = makeSerial()
  const waitMs = async ({ turnId, threadId, bytes }: WantedMemory, at: number) => {
    const since = at - hourMs
    const rows = await database.selectFrom('memory_writes').selectAll().where('at', '>', since).orderBy('at').execute()
    // A reservation of the same turn is from before a crash; what it wrote is unknown.
    const others = rows.filter((row) => row.turn_id !== turnId)
    const writes = others.map((row) => ({ threadId: row.thread_id, at: row.at, bytes: row.bytes }))
    return budgetWaitMs({ writes, wanted: { threadId, bytes }, limits: await limits(), now: at })
  }
  const insert = async ({ turnId, threadId, bytes }: WantedMemory, at: number) => {
    await database
      .insertInto('memory_writes')
      .values({ turn_id: turnId, thread_id: threadId, at, bytes })
      .onConflict((conflict) => conflict.column('turn_id').doUpdateSet({ at, bytes }))
      .execute()
  }
  return {
    waitMs: (wanted) => waitMs(wanted, now()),
    take: (wanted) => inOrder(() => insert(wanted, now())),
    reserve: (wanted) =>
      inOrder(async () => {
        const at = now()
        const wait = await waitMs(wanted, at)
        if (wait > 0) return wait
        const past = at - hourMs
        await database.deleteFrom('memory_writes').where('at', '<=', past).execute()
        await insert(wanted, at)
        return 0
      }),
    settle: async (turnId, bytes) => {
      await database.updateTable('memory_writes').set({ bytes }).where('turn_id', '=', turnId).execute()
    },
  }
}
