import type { Kysely } from 'kysely'
import type { ModelConnectionRow, ModelTables } from './models.table.ts'

/** The only code that touches `model_connections`. */
export type ModelStore = {
  list(): Promise<ModelConnectionRow[]>
  find(id: string): Promise<ModelConnectionRow | undefined>
  /** The default model, otherwise the oldest. */
  findDefault(): Promise<ModelConnectionRow | undefined>
  /** Inserts or replaces a row. At most one stays the default. */
  put(row: ModelConnectionRow): Promise<void>
  delete(id: string): Promise<boolean>
}

export function makeModelStore(database: Kysely<ModelTables>): ModelStore {
  return {
    list: () => database.selectFrom('model_connections').selectAll().orderBy('created_at').orderBy('id').execute(),
    find: (id) => database.selectFrom('model_connections').selectAll().where('id', '=', id).executeTakeFirst(),
    findDefault: () =>
      database
        .selectFrom('model_connections')
        .selectAll()
        .orderBy('is_default', 'desc')
        .orderBy('created_at')
        .orderBy('id')
        .limit(1)
        .executeTakeFirst(),
    put: (row) =>
      database.transaction().execute(async (transaction) => {
        if (row.is_default === 1) {
          await transaction.updateTable('model_connections').set({ is_default: 0 }).where('id', '!=', row.id).execute()
        }
        const { id, ...columns } = row
        await transaction
          .insertInto('model_connections')
          .values(row)
          .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
          .execute()
      }),
    delete: async (id) => {
      const result = await database.deleteFrom('model_connections').where('id', '=', id).executeTakeFirst()
      return Number(result.numDeletedRows) > 0
    },
  }
}
