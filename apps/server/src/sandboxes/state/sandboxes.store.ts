import type { SandboxState } from '@threadbox/domain'
import type { Kysely, Transaction } from 'kysely'
import { withoutDiskWait } from '../../platform/database/database.ts'
import type { LogTransaction } from '../../threads/public.ts'
import type { Sandbox, SandboxMemory, WakeFacts } from './sandbox.logic.ts'
import { type InsertSandbox, insertSandbox } from './sandbox-count.ts'
import { columnsOf, sandboxOf, wakeFactsOf } from './sandbox-rows.ts'
import type { SandboxMemoryRow, SandboxRow, SandboxTables } from './sandboxes.table.ts'

/** The only code that touches `sandboxes` and `sandbox_memories`. */
export type SandboxStore = {
  find(threadId: string): Promise<Sandbox | undefined>
  findById(sandboxId: string): Promise<Sandbox | undefined>
  list(threadIds: readonly string[]): Promise<Sandbox[]>
  all(): Promise<Sandbox[]>
  /**
   * Inserts the row of the thread and returns it, or returns the one that a concurrent call inserted first. Throws
   * `quota.sandboxes-used-up`.
   */
  insertIfMissing(row: Sandbox): Promise<Sandbox>
  /**
   * Changes the state and what belongs to it, with what is stored beside the row, if state and boot are still as
   * `expected`. False if they are not: the row changed in between, and the caller has to read it again. With
   * `isDurable: false` it does not wait for the disk.
   */
  change(
    expected: { id: string; state: SandboxState; bootId: string | null },
    values: Partial<Sandbox>,
    more?: { memory?: SandboxMemory | undefined; isDurable?: boolean },
  ): Promise<boolean>
  /** Changes values that no state depends on. */
  set(sandboxId: string, values: SettableValues): Promise<void>
  /** Records the last use, if it is later than the recorded one. Does not wait for the disk. */
  noteUse(sandboxId: string, at: number): Promise<void>
  /** Records a wake that the row’s state does not come from, in the transaction of what else is recorded about it. */
  noteWake(sandboxId: string, facts: WakeFacts, transaction: LogTransaction): Promise<void>
  /** Removes the wake from the row with the report that is written, if the row still has that wake. */
  wakeReported(sandboxId: string, reportId: string, transaction: LogTransaction): Promise<void>
  memory(sandboxId: string): Promise<SandboxMemoryRow | undefined>
  setMemory(memory: SandboxMemoryRow): Promise<void>
  /** Moves every recorded time by as much as the clock was set. */
  shiftTimes(byMs: number): Promise<void>
  /** Replaces a removed sandbox with a new one. */
  replace(sandboxId: string, row: Sandbox): Promise<void>
  setLimits(
    sandboxId: string,
    limits: Pick<SandboxRow, 'memory_bytes' | 'cpus' | 'processes' | 'disk_bytes'>,
  ): Promise<void>
  erase(threadId: string): Promise<void>
}

/** Values that can change in any state. */
export type SettableValues = Partial<
  Pick<
    Sandbox,
    | 'own_limits_json'
    | 'egress_json'
    | 'limit_announced'
    | 'held_until'
    | 'is_frozen'
    | 'retention_announced_at'
    | 'used_at'
    | 'idle_pause_minutes'
    | 'hot_hours'
    | 'hot_keep'
    | 'max_awake_hours'
    | 'retention_days'
    | 'max_services'
  >
>

export function makeSandboxStore(
  database: Kysely<SandboxTables>,
  insert: InsertSandbox = (row) => insertSandbox(database, row),
): SandboxStore {
  const sandboxes = () => database.selectFrom('sandboxes').selectAll()
  const byThread = async (threadId: string) =>
    read(await sandboxes().where('thread_id', '=', threadId).executeTakeFirst())
  return {
    find: byThread,
    findById: async (sandboxId) => read(await sandboxes().where('id', '=', sandboxId).executeTakeFirst()),
    list: async (threadIds) =>
      threadIds.length === 0
        ? []
        : (
            await sandboxes()
              .where('thread_id', 'in', [...threadIds])
              .execute()
          ).map(sandboxOf),
    all: async () => (await sandboxes().execute()).map(sandboxOf),
    insertIfMissing: async (row) => {
      await insert(columnsOf(row))
      return (await byThread(row.thread_id)) ?? row
    },
    change: async (expected, values, { memory, isDurable = true } = {}) => {
      const changeRow = async (connection: Kysely<SandboxTables>) => {
        const result = await connection
          .updateTable('sandboxes')
          .set(columnsOf(values))
          .where('id', '=', expected.id)
          .where('state', '=', expected.state)
          .where('boot_id', expected.bootId === null ? 'is' : '=', expected.bootId)
          .executeTakeFirst()
        return Number(result.numUpdatedRows) > 0
      }
      if (!isDurable && memory === undefined) return await withoutDiskWait(database, changeRow)
      if (memory === undefined) return await changeRow(database)
      return await database.transaction().execute(async (transaction) => {
        const isChanged = await changeRow(transaction)
        if (isChanged) await putMemory(transaction, expected.id, memory)
        return isChanged
      })
    },
    set: async (sandboxId, values) => {
      if (Object.keys(values).length === 0) return
      await database.updateTable('sandboxes').set(columnsOf(values)).where('id', '=', sandboxId).execute()
    },
    noteUse: async (sandboxId, at) => {
      const columns = { used_at: at, retention_announced_at: null }
      await withoutDiskWait(database, (transaction) =>
        transaction
          .updateTable('sandboxes')
          .set(columns)
          .where('id', '=', sandboxId)
          .where('used_at', '<', at)
          .execute(),
      )
    },
    noteWake: async (sandboxId, facts, transaction) => {
      await (transaction as unknown as Transaction<SandboxTables>)
        .updateTable('sandboxes')
        .set({ wake_json: JSON.stringify(facts) })
        .where('id', '=', sandboxId)
        .execute()
    },
    wakeReported: async (sandboxId, reportId, transaction) => {
      const writer = transaction as unknown as Transaction<SandboxTables>
      const query = writer.selectFrom('sandboxes').select('wake_json').where('id', '=', sandboxId)
      const wakeJson = (await query.executeTakeFirst())?.wake_json ?? null
      if (wakeJson === null || wakeFactsOf(wakeJson).reportId !== reportId) return
      await writer
        .updateTable('sandboxes')
        .set({ wake_json: null })
        .where('id', '=', sandboxId)
        .where('wake_json', '=', wakeJson)
        .execute()
    },
    ...memoryQueries(database),
    shiftTimes: (byMs) => shiftTimes(database, byMs),
    replace: (sandboxId, row) =>
      database.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('sandboxes').where('id', '=', sandboxId).execute()
        await transaction.insertInto('sandboxes').values(columnsOf(row)).execute()
      }),
    setLimits: async (sandboxId, limits) => {
      await database.updateTable('sandboxes').set(limits).where('id', '=', sandboxId).execute()
    },
    erase: async (threadId) => {
      await database.deleteFrom('sandboxes').where('thread_id', '=', threadId).execute()
    },
  }
}

function memoryQueries(database: Kysely<SandboxTables>): Pick<SandboxStore, 'memory' | 'setMemory'> {
  return {
    memory: (sandboxId) =>
      database.selectFrom('sandbox_memories').selectAll().where('sandbox_id', '=', sandboxId).executeTakeFirst(),
    setMemory: ({ sandbox_id, ...memory }) => putMemory(database, sandbox_id, memory),
  }
}

/** Columns that are not given keep their values. */
async function putMemory(database: Kysely<SandboxTables>, sandboxId: string, memory: SandboxMemory): Promise<void> {
  await database
    .insertInto('sandbox_memories')
    .values({ sandbox_id: sandboxId, manifest_json: null, rescue_json: null, ...memory })
    .onConflict((conflict) => conflict.column('sandbox_id').doUpdateSet(memory))
    .execute()
}

function read(row: SandboxRow | undefined): Sandbox | undefined {
  return row && sandboxOf(row)
}

const moments = ['since', 'used_at', 'awake_since', 'held_until', 'paused_at', 'retention_announced_at'] as const

async function shiftTimes(database: Kysely<SandboxTables>, byMs: number): Promise<void> {
  await database
    .updateTable('sandboxes')
    .set((builder) => Object.fromEntries(moments.map((name) => [name, builder(name, '+', byMs)])))
    .execute()
}
