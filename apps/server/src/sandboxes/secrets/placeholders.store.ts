import type { Kysely } from 'kysely'
import type { PlaceholderTables } from './placeholders.table.ts'

/** The only code that touches `secret_placeholders` and `sandbox_secrets`. */
export type PlaceholderStore = {
  /** By secret. */
  of(sandboxId: string): Promise<Map<string, string>>
  insert(row: { sandboxId: string; secretId: string; placeholder: string }): Promise<void>
  /** Removes those of all other secrets. */
  keepOnly(sandboxId: string, secretIds: readonly string[]): Promise<void>
  /** Sandboxes whose secrets were sent somewhere. */
  sentTo(): Promise<Set<string>>
  /** The number of the next order for this sandbox; recorded before the order is sent. */
  nextRevision(sandboxId: string): Promise<number>
}

export function makePlaceholderStore(database: Kysely<PlaceholderTables>): PlaceholderStore {
  return {
    of: async (sandboxId) => {
      const rows = await database
        .selectFrom('secret_placeholders')
        .select(['secret_id', 'placeholder'])
        .where('sandbox_id', '=', sandboxId)
        .execute()
      return new Map(rows.map(({ secret_id, placeholder }) => [secret_id, placeholder]))
    },
    insert: async ({ sandboxId, secretId, placeholder }) => {
      const row = { sandbox_id: sandboxId, secret_id: secretId, placeholder }
      await database.insertInto('secret_placeholders').values(row).execute()
    },
    keepOnly: async (sandboxId, secretIds) => {
      const others = database.deleteFrom('secret_placeholders').where('sandbox_id', '=', sandboxId)
      await (secretIds.length === 0 ? others : others.where('secret_id', 'not in', secretIds)).execute()
    },
    sentTo: async () => {
      const rows = await database.selectFrom('sandbox_secrets').select('sandbox_id').execute()
      return new Set(rows.map(({ sandbox_id }) => sandbox_id))
    },
    nextRevision: async (sandboxId) => {
      const row = await database
        .insertInto('sandbox_secrets')
        .values({ sandbox_id: sandboxId, revision: 1 })
        .onConflict((conflict) =>
          conflict.column('sandbox_id').doUpdateSet(({ ref, eb }) => ({
            revision: eb(ref('sandbox_secrets.revision'), '+', 1),
          })),
        )
        .returning('revision')
        .executeTakeFirstOrThrow()
      return row.revision
    },
  }
}
