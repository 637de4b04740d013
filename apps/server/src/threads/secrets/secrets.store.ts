import type { Kysely } from 'kysely'
import type { SecretGrantRow, SecretRow, SecretTables } from './secrets.table.ts'

export type SecretColumns = Partial<
  Pick<SecretRow, 'name' | 'sealed_value' | 'revision' | 'rules_json' | 'last_used_at' | 'value_set_at'>
>

export type GrantPlace = { thread_id: string } | { workspace_id: string }

/** The only code that touches `secrets`, `secret_grants` and `secret_taints`. */
export type SecretStore = {
  find(id: string): Promise<SecretRow | undefined>
  /** Oldest first. There are few, because a person enters each. */
  all(): Promise<SecretRow[]>
  /** Throws a unique violation when the owner has one of this name. */
  insert(row: SecretRow): Promise<void>
  /** Writes only these columns. Throws a unique violation when the name is taken. */
  update(id: string, columns: SecretColumns): Promise<void>
  delete(id: string): Promise<void>
  grants(): Promise<SecretGrantRow[]>
  /** Adds the grant, or changes how it is given. */
  grant(secretId: string, place: GrantPlace, given: Pick<SecretGrantRow, 'way' | 'created_at'>): Promise<void>
  revoke(secretId: string, place: GrantPlace): Promise<void>
  /** Keeps the first time. */
  taint(threadId: string, at: number): Promise<void>
  taintedAt(threadId: string): Promise<number | null>
}

export function makeSecretStore(database: Kysely<SecretTables>): SecretStore {
  const all = () => database.selectFrom('secrets').selectAll()
  const revoke: SecretStore['revoke'] = (secretId, place) => deleteGrant(database, secretId, place)
  return {
    find: (id) => all().where('id', '=', id).executeTakeFirst(),
    all: () => all().orderBy('created_at').orderBy('id').execute(),
    insert: async (row) => {
      await database.insertInto('secrets').values(row).execute()
    },
    update: async (id, columns) => {
      if (Object.keys(columns).length === 0) return
      await database.updateTable('secrets').set(columns).where('id', '=', id).execute()
    },
    delete: async (id) => {
      await database.deleteFrom('secrets').where('id', '=', id).execute()
    },
    grants: () => database.selectFrom('secret_grants').selectAll().orderBy('created_at').execute(),
    grant: (secretId, place, given) =>
      database.transaction().execute(async (transaction) => {
        await deleteGrant(transaction, secretId, place)
        const nowhere = { thread_id: null, workspace_id: null }
        await transaction
          .insertInto('secret_grants')
          .values({ ...nowhere, ...place, ...given, secret_id: secretId })
          .execute()
      }),
    revoke,
    taint: async (threadId, at) => {
      await database
        .insertInto('secret_taints')
        .values({ thread_id: threadId, tainted_at: at })
        .onConflict((conflict) => conflict.column('thread_id').doNothing())
        .execute()
    },
    taintedAt: async (threadId) => {
      const row = await database
        .selectFrom('secret_taints')
        .select('tainted_at')
        .where('thread_id', '=', threadId)
        .executeTakeFirst()
      return row?.tainted_at ?? null
    },
  }
}

async function deleteGrant(database: Kysely<SecretTables>, secretId: string, place: GrantPlace): Promise<void> {
  const [[column, id]] = Object.entries(place) as [[keyof SecretGrantRow, string]]
  await database.deleteFrom('secret_grants').where('secret_id', '=', secretId).where(column, '=', id).execute()
}
