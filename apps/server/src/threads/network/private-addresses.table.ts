import type { Kysely } from 'kysely'

/** A service in a private network that policies can allow. */
export type PrivateAddressRow = {
  name: string
  port: number
  /** Such as `10.1.2.0/24`. */
  address_range: string
  created_at: number
}

export type PrivateAddressTables = { private_addresses: PrivateAddressRow }

export async function createPrivateAddressTable(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('private_addresses')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('address_range', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('private_addresses_key', ['name', 'port', 'address_range'])
    .execute()
}
