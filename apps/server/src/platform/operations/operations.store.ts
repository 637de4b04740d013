import type { Kysely } from 'kysely'
import type { OperationRow, OperationTables } from './operations.table.ts'

/** The only code that touches `operations`. A `planned` operation can be withdrawn, a `begun` one can't. */
export type OperationStore = {
  put(operation: {
    id: string
    kind: string
    subjectId: string
    dueAt: number
    json?: string
    createdAt: number
  }): Promise<void>
  withdraw(kind: string, subjectId: string): Promise<boolean>
  exists(kind: string, subjectId: string): Promise<boolean>
  dueAt(kind: string, subjectId: string): Promise<number | undefined>
  due(now: number): Promise<OperationRow[]>
  nextDueAt(kinds: readonly string[]): Promise<number | undefined>
  /** Returns false when the row was deleted: the operation was withdrawn in the last moment. */
  begin(id: string): Promise<boolean>
  postpone(id: string, failure: { dueAt: number; error: string }): Promise<void>
  remove(id: string): Promise<void>
  /** How many there are of each kind and phase, and when the oldest of them was planned. */
  counts(): Promise<{ kind: string; phase: string; count: number; oldest: number }[]>
}

export function makeOperationStore(database: Kysely<OperationTables>): OperationStore {
  return {
    counts: () => countsOf(database),
    put: async (operation) => {
      await database
        .insertInto('operations')
        .values({
          id: operation.id,
          kind: operation.kind,
          subject_id: operation.subjectId,
          phase: 'planned',
          json: operation.json ?? '{}',
          due_at: operation.dueAt,
          attempts: 0,
          last_error: null,
          created_at: operation.createdAt,
        })
        .onConflict((conflict) =>
          conflict
            .columns(['kind', 'subject_id'])
            .doUpdateSet({ due_at: operation.dueAt })
            .where('operations.phase', '=', 'planned'),
        )
        .execute()
    },
    withdraw: async (kind, subjectId) => {
      const result = await database
        .deleteFrom('operations')
        .where('kind', '=', kind)
        .where('subject_id', '=', subjectId)
        .where('phase', '=', 'planned')
        .executeTakeFirst()
      return Number(result.numDeletedRows) > 0
    },
    exists: async (kind, subjectId) => {
      const row = await database
        .selectFrom('operations')
        .select('id')
        .where('kind', '=', kind)
        .where('subject_id', '=', subjectId)
        .executeTakeFirst()
      return row !== undefined
    },
    dueAt: async (kind, subjectId) => {
      const rows = database.selectFrom('operations').select('due_at').where('kind', '=', kind)
      const row = await rows.where('subject_id', '=', subjectId).executeTakeFirst()
      return row === undefined ? undefined : Number(row.due_at)
    },
    due: (now) =>
      database.selectFrom('operations').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(20).execute(),
    nextDueAt: async (kinds) => {
      if (kinds.length === 0) return undefined
      const row = await database
        .selectFrom('operations')
        .select((builder) => builder.fn.min('due_at').as('due_at'))
        .where('kind', 'in', [...kinds])
        .executeTakeFirst()
      return row?.due_at == null ? undefined : Number(row.due_at)
    },
    begin: async (id) => {
      const result = await database
        .updateTable('operations')
        .set({ phase: 'begun' })
        .where('id', '=', id)
        .executeTakeFirst()
      return Number(result.numUpdatedRows) > 0
    },
    postpone: async (id, failure) => {
      await database
        .updateTable('operations')
        .set((builder) => ({
          due_at: failure.dueAt,
          last_error: failure.error.slice(0, 1000),
          attempts: builder('attempts', '+', 1),
        }))
        .where('id', '=', id)
        .execute()
    },
    remove: async (id) => {
      await database.deleteFrom('operations').where('id', '=', id).execute()
    },
  }
}

async function countsOf(database: Kysely<OperationTables>) {
  const rows = await database
    .selectFrom('operations')
    .select(({ fn }) => ['kind', 'phase', fn.countAll<number>().as('count'), fn.min('created_at').as('oldest')])
    .groupBy(['kind', 'phase'])
    .execute()
  return rows.map((row) => ({ ...row, count: Number(row.count), oldest: Number(row.oldest) }))
}
