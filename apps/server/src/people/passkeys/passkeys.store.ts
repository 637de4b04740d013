import type { Kysely } from 'kysely'
import type { PasskeyChallengeRow, PasskeyRow, PasskeyTables } from './passkeys.table.ts'

/** The only code that touches `passkeys` and `passkey_challenges`. */
export type PasskeyStore = {
  /** The oldest first. */
  list(userId: string): Promise<PasskeyRow[]>
  find(credentialId: string): Promise<PasskeyRow | undefined>
  /** Throws a unique violation if a passkey has this credential. */
  insert(row: PasskeyRow): Promise<void>
  /** Returns false if this person has no such passkey; `rename` and `remove` only change their own. */
  rename(userId: string, id: string, name: string): Promise<boolean>
  remove(userId: string, id: string): Promise<boolean>
  /** Records a use. Returns false if another one has counted as far in the meantime. */
  use(id: string, use: { counter: number; at: number }): Promise<boolean>
  addChallenge(row: PasskeyChallengeRow): Promise<void>
  /** Removes it, so that it works once, and returns it, also if it has expired. */
  takeChallenge(challenge: string): Promise<PasskeyChallengeRow | undefined>
  /** Removes those that have expired, and the oldest above `max`. */
  pruneChallenges(now: number, max: number): Promise<void>
}

export function makePasskeyStore(database: Kysely<PasskeyTables>): PasskeyStore {
  return {
    list: (userId) =>
      database
        .selectFrom('passkeys')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    find: (credentialId) =>
      database.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst(),
    insert: async (row) => {
      await database.insertInto('passkeys').values(row).execute()
    },
    rename: async (userId, id, name) => {
      const renamed = await database
        .updateTable('passkeys')
        .set({ name })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return Number(renamed.numUpdatedRows) > 0
    },
    remove: async (userId, id) => {
      const removed = await database
        .deleteFrom('passkeys')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return Number(removed.numDeletedRows) > 0
    },
    use: async (id, { counter, at }) => {
      const used = await database
        .updateTable('passkeys')
        .set({ counter, last_used_at: at })
        .where('id', '=', id)
        .where('counter', counter === 0 ? '=' : '<', counter)
        .executeTakeFirst()
      return Number(used.numUpdatedRows) > 0
    },
    addChallenge: async (row) => {
      await database.insertInto('passkey_challenges').values(row).execute()
    },
    takeChallenge: (challenge) =>
      database.deleteFrom('passkey_challenges').where('challenge', '=', challenge).returningAll().executeTakeFirst(),
    pruneChallenges: async (now, max) => {
      await database.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute()
      const kept = database
        .selectFrom('passkey_challenges')
        .select('challenge')
        .orderBy('expires_at', 'desc')
        .limit(max)
      await database.deleteFrom('passkey_challenges').where('challenge', 'not in', kept).execute()
    },
  }
}
