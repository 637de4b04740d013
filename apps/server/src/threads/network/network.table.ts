import type { Kysely } from 'kysely'

/** What sandboxes reach, as one level sets it. A level without a row sets nothing. */
export type NetworkPolicyRow = {
  /** `installation`, or the ID of the workspace, agent or thread. */
  id: string
  /** Null, or the same as `id`: the policy is deleted with them. */
  workspace_id: string | null
  /** An agent’s policy outlives the agent: it also applies to the threads that were started from it. */
  thread_id: string | null
  policy_json: string
  updated_at: number
}

export type NetworkTables = { network_policies: NetworkPolicyRow }

export async function createNetworkTables(database: Kysely<never>): Promise<void> {
  await database.schema
    .createTable('network_policies')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('workspace_id', 'text', (column) => column.references('workspaces.id').onDelete('cascade'))
    .addColumn('thread_id', 'text', (column) => column.references('threads.id').onDelete('cascade'))
    .addColumn('policy_json', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
}
