import type { PrivateAddress } from '@threadbox/domain'
import type { Kysely } from 'kysely'
import type { PrivateAddressTables } from './private-addresses.table.ts'

/** The only code that touches `private_addresses`. */
export type PrivateAddressStore = {
  /** In the order of their names. */
  all(): Promise<PrivateAddress[]>
  replace(addresses: readonly PrivateAddress[], at: number): Promise<void>
}

export function makePrivateAddressStore(database: Kysely<PrivateAddressTables>): PrivateAddressStore {
  return {
    all: async () =>
      await database
        .selectFrom('private_addresses')
        .select(['name', 'port', 'address_range as range'])
        .orderBy('name')
        .orderBy('port')
        .orderBy('address_range')
        .execute(),
    replace: async (addresses, at) => {
      await database.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('private_addresses').execute()
        const rows = addresses.map(({ name, port, range }) => ({ name, port, address_range: range, created_at: at }))
        if (rows.length > 0) await transaction.insertInto('private_addresses').values(rows).execute()
      })
    },
  }
}
