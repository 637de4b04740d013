import type { Kysely } from 'kysely'

/**
 * The sandbox in which a connection's program runs. It belongs to no thread. The row exists from before the sandbox is
 * created until after it is deleted.
 */
export type ProgramSandboxRow = {
  sandbox_id: string
  connection_id: string
  /** `going`: its removal is planned. A connection has at most one that is `kept`. */
  state: 'kept' | 'going'
  /** The boot that was ordered last and isn't known to have ended; null: nothing runs. */
  boot_id: string | null
  created_at: number
}

export type ProgramTables = { connection_sandboxes: ProgramSandboxRow }

/** Connections whose server is a program, and their sandboxes. */
export async function addConnectionPrograms(database: Kysely<never>): Promise<void> {
  await database.schema.alterTable('connections').addColumn('program_json', 'text').execute()
  // No foreign key, because the sandbox is deleted after its connection.
  await database.schema
    .createTable('connection_sandboxes')
    .addColumn('sandbox_id', 'text', (column) => column.primaryKey())
    .addColumn('connection_id', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('boot_id', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()
  await database.schema
    .createIndex('connection_sandboxes_connection_idx')
    .on('connection_sandboxes')
    .column('connection_id')
    .execute()
}
