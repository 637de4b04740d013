import type { Kysely } from 'kysely'
import { lockUntilEnd } from '../../platform/database/database.ts'
import type { UserTables } from '../users/users.table.ts'
import type { LeavingTables, OwnerOfferRow } from './leaving.table.ts'

type Tables = LeavingTables & Pick<UserTables, 'owner' | 'person_states'>

/** The only code that touches `owner_offers`, and changes who is the owner. */
export type OwnershipStore = {
  offer(): Promise<OwnerOfferRow | undefined>
  putOffer(row: OwnerOfferRow): Promise<void>
  removeOffer(): Promise<void>
  /**
   * Makes the person of the offer the owner and the previous owner an admin, in one transaction. Returns false without a
   * change if that offer no longer holds.
   */
  accept(userId: string, now: number): Promise<boolean>
}

export function makeOwnershipStore(database: Kysely<Tables>): OwnershipStore {
  return {
    offer: () => database.selectFrom('owner_offers').selectAll().executeTakeFirst(),
    putOffer: async ({ id, ...columns }) => {
      await database
        .insertInto('owner_offers')
        .values({ id, ...columns })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
        .execute()
    },
    removeOffer: async () => {
      await database.deleteFrom('owner_offers').execute()
    },
    accept: (userId, now) =>
      database.transaction().execute(async (transaction) => {
        await lockUntilEnd(transaction, 'ownership', ['owner'])
        const offer = await transaction.selectFrom('owner_offers').selectAll().executeTakeFirst()
        if (offer === undefined || offer.user_id !== userId || offer.expires_at <= now) return false
        // The row of the owner is changed, never removed: there is one at every moment.
        const changed = await transaction
          .updateTable('owner')
          .set({ user_id: userId, created_at: now })
          .where('user_id', '=', offer.offered_by)
          .executeTakeFirst()
        if (Number(changed.numUpdatedRows) !== 1) return false
        await transaction
          .insertInto('person_states')
          .values({ user_id: offer.offered_by, role: 'admin', role_by_hand: 1, disabled_at: null, erasing_at: null })
          .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ role: 'admin' }))
          .execute()
        await transaction.deleteFrom('owner_offers').execute()
        return true
      }),
  }
}
