import type { Kysely } from 'kysely'
import type { ConnectionTables } from './connections.table.ts'
import type { ProgramSandboxRow, ProgramTables } from './programs.table.ts'

/** The only code that touches `connection_sandboxes`. */
export type ProgramStore = {
  /** Returns whether the connection exists and runs a program. */
  isProgram(connectionId: string): Promise<boolean>
  /** Returns the sandbox that the connection uses. */
  find(connectionId: string): Promise<ProgramSandboxRow | undefined>
  all(): Promise<ProgramSandboxRow[]>
  /** Sandboxes whose connection was deleted without a planned removal. */
  orphans(): Promise<ProgramSandboxRow[]>
  insert(row: ProgramSandboxRow): Promise<void>
  update(sandboxId: string, columns: Partial<Pick<ProgramSandboxRow, 'state' | 'boot_id'>>): Promise<void>
  remove(sandboxId: string): Promise<void>
  /** Null: a person's connection. */
  workspaceOf(connectionId: string): Promise<string | null>
  /** The ids of a workspace's connections that run a program. */
  programsIn(workspaceId: string): Promise<string[]>
  /** The number of connections with a program that a user created. */
  countOf(userId: string): Promise<number>
  /** Resets connections recorded as starting; for the server's start. */
  resetStarting(): Promise<void>
}

export function makeProgramStore(database: Kysely<ProgramTables & ConnectionTables>): ProgramStore {
  const programs = () => database.selectFrom('connections').where('program_json', 'is not', null)
  return {
    isProgram: async (connectionId) =>
      (await programs().select('id').where('id', '=', connectionId).executeTakeFirst()) !== undefined,
    find: (connectionId) =>
      database
        .selectFrom('connection_sandboxes')
        .selectAll()
        .where('connection_id', '=', connectionId)
        .where('state', '=', 'kept')
        .executeTakeFirst(),
    all: () => database.selectFrom('connection_sandboxes').selectAll().execute(),
    orphans: () =>
      database
        .selectFrom('connection_sandboxes')
        .selectAll()
        .where('state', '=', 'kept')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('connections')
                .select('connections.id')
                .whereRef('connections.id', '=', 'connection_sandboxes.connection_id'),
            ),
          ),
        )
        .execute(),
    insert: async (row) => {
      await database.insertInto('connection_sandboxes').values(row).execute()
    },
    update: async (sandboxId, columns) => {
      await database.updateTable('connection_sandboxes').set(columns).where('sandbox_id', '=', sandboxId).execute()
    },
    remove: async (sandboxId) => {
      await database.deleteFrom('connection_sandboxes').where('sandbox_id', '=', sandboxId).execute()
    },
    workspaceOf: async (connectionId) => {
      const row = await programs().select('workspace_id').where('id', '=', connectionId).executeTakeFirst()
      return row?.workspace_id ?? null
    },
    programsIn: async (workspaceId) => {
      const rows = await programs().select('id').where('workspace_id', '=', workspaceId).execute()
      return rows.map(({ id }) => id)
    },
    countOf: async (userId) => (await programs().select('id').where('user_id', '=', userId).execute()).length,
    resetStarting: async () => {
      await database.updateTable('connections').set({ status: 'unchecked' }).where('status', '=', 'starting').execute()
    },
  }
}
