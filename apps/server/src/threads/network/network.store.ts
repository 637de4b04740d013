import type { NetworkPolicy } from '@threadbox/domain'
import { networkPolicySchema } from '@threadbox/protocol/public'
import type { Kysely } from 'kysely'
import type { NetworkPolicyRow, NetworkTables } from './network.table.ts'

/** The only code that touches `network_policies`. */
export type NetworkStore = {
  /** The policies of all levels that set one. They are few, because a person sets each. */
  all(): Promise<Map<string, NetworkPolicy>>
  set(row: NetworkPolicyRow): Promise<void>
  remove(id: string): Promise<void>
}

export function makeNetworkStore(database: Kysely<NetworkTables>): NetworkStore {
  return {
    all: async () => {
      const rows = await database.selectFrom('network_policies').select(['id', 'policy_json']).execute()
      return new Map(rows.map((row) => [row.id, networkPolicySchema.parse(JSON.parse(row.policy_json))]))
    },
    set: async (row) => {
      const { policy_json, updated_at } = row
      await database
        .insertInto('network_policies')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ policy_json, updated_at }))
        .execute()
    },
    remove: async (id) => {
      await database.deleteFrom('network_policies').where('id', '=', id).execute()
    },
  }
}
