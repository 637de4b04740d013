import type { Kysely } from 'kysely'

/** A package that a thread’s commands installed. */
export type ThreadPackageRow = { thread_id: string; package: string; user_id: string; at: number }

/** Records that a user was offered, in this thread, to save what has this package as an agent. Once per package. */
export type AgentOfferRow = {
  user_id: string
  package: string
  thread_id: string
  state: 'open' | 'closed'
  at: number
}

export type InstallTables = { thread_packages: ThreadPackageRow; agent_offers: AgentOfferRow }

export async function createInstallTables(database: Kysely<never>): Promise<void> {
  const tables = database as unknown as Kysely<InstallTables>
  await tables.schema
    .createTable('thread_packages')
    .addColumn('thread_id', 'text', (column) => column.notNull().references('threads.id').onDelete('cascade'))
    .addColumn('package', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('thread_packages_pk', ['thread_id', 'package'])
    .execute()
  await tables.schema
    .createIndex('thread_packages_user_idx')
    .on('thread_packages')
    .columns(['user_id', 'package'])
    .execute()
  await tables.schema
    .createTable('agent_offers')
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('package', 'text', (column) => column.notNull())
    .addColumn('thread_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('agent_offers_pk', ['user_id', 'package'])
    .execute()
}
