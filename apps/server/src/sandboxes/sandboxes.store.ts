import type { SandboxState } from '@threadbox/domain'
import type { Kysely } from 'kysely'
import type { SandboxRow, SandboxTables } from './sandboxes.table.ts'

/** The only code that touches `sandboxes`. */
export type SandboxStore = {
  find(threadId: string): Promise<SandboxRow | undefined>
  findById(sandboxId: string): Promise<SandboxRow | undefined>
  list(threadIds: readonly string[]): Promise<SandboxRow[]>
  all(): Promise<SandboxRow[]>
  /** The row of the thread: the given one, or the one that somebody else inserted first. */
  insertIfMissing(row: SandboxRow): Promise<SandboxRow>
  /**
   * Changes state and what goes with it, if state and boot are still as `expected`. False when they are not: somebody
   * else decided in between, and the caller has to look again.
   */
  change(
    expected: { id: string; state: SandboxState; bootId: string | null },
    columns: Partial<SandboxRow>,
  ): Promise<boolean>
  setLimits(
    sandboxId: string,
    limits: Pick<SandboxRow, 'memory_bytes' | 'cpus' | 'processes' | 'disk_bytes'>,
  ): Promise<void>
  erase(threadId: string): Promise<void>
}

export function makeSandboxStore(database: Kysely<SandboxTables>): SandboxStore {
  const byThread = (threadId: string) =>
    database.selectFrom('sandboxes').selectAll().where('thread_id', '=', threadId).executeTakeFirst()
  return {
    find: byThread,
    findById: (sandboxId) =>
      database.selectFrom('sandboxes').selectAll().where('id', '=', sandboxId).executeTakeFirst(),
    list: async (threadIds) =>
      threadIds.length === 0
        ? []
        : await database
            .selectFrom('sandboxes')
            .selectAll()
            .where('thread_id', 'in', [...threadIds])
            .execute(),
    all: () => database.selectFrom('sandboxes').selectAll().execute(),
    insertIfMissing: async (row) => {
      await database
        .insertInto('sandboxes')
        .values(row)
        .onConflict((conflict) => conflict.column('thread_id').doNothing())
        .execute()
      return (await byThread(row.thread_id)) ?? row
    },
    change: async (expected, columns) => {
      const result = await database
        .updateTable('sandboxes')
        .set(columns)
        .where('id', '=', expected.id)
        .where('state', '=', expected.state)
        .where('boot_id', expected.bootId === null ? 'is' : '=', expected.bootId)
        .executeTakeFirst()
      return Number(result.numUpdatedRows) > 0
    },
    setLimits: async (sandboxId, limits) => {
      await database.updateTable('sandboxes').set(limits).where('id', '=', sandboxId).execute()
    },
    erase: async (threadId) => {
      await database.deleteFrom('sandboxes').where('thread_id', '=', threadId).execute()
    },
  }
}
