import type { Kysely } from 'kysely'
import type { AgentDraftTables } from './agent-drafts.table.ts'
import type { AgentTables } from './agents.table.ts'
import type { EnvironmentRow, EnvironmentTables } from './environments.table.ts'

/** The only code that accesses `agent_environments`. */
export type EnvironmentStore = {
  insert(row: EnvironmentRow): Promise<void>
  find(environmentId: string): Promise<EnvironmentRow | undefined>
  /** The environments with these IDs, by ID. */
  list(environmentIds: readonly string[]): Promise<Map<string, EnvironmentRow>>
  all(): Promise<Pick<EnvironmentRow, 'id' | 'sandbox_id' | 'state'>[]>
  update(environmentId: string, columns: Partial<EnvironmentRow>): Promise<void>
  remove(environmentId: string): Promise<void>
  /** Makes the environments of one person those of another. */
  give(people: { from: string; to: string }): Promise<void>
  /** Whether an agent version uses it, or a draft that waits for a review. */
  isUsed(environmentId: string): Promise<boolean>
  /** Kept environments that no version and no draft uses. */
  unusedIds(): Promise<string[]>
}

export function makeEnvironmentStore(
  database: Kysely<EnvironmentTables & AgentTables & AgentDraftTables>,
): EnvironmentStore {
  const table = 'agent_environments'
  return {
    insert: async (row) => {
      await database.insertInto(table).values(row).execute()
    },
    find: (id) => database.selectFrom(table).selectAll().where('id', '=', id).executeTakeFirst(),
    list: async (ids) => {
      if (ids.length === 0) return new Map()
      const rows = await database.selectFrom(table).selectAll().where('id', 'in', ids).execute()
      return new Map(rows.map((row) => [row.id, row]))
    },
    all: () => database.selectFrom(table).select(['id', 'sandbox_id', 'state']).execute(),
    update: async (id, columns) => {
      await database.updateTable(table).set(columns).where('id', '=', id).execute()
    },
    remove: async (id) => {
      await database.deleteFrom(table).where('id', '=', id).execute()
    },
    give: async ({ from, to }) => {
      await database.updateTable(table).set({ owner_id: to }).where('owner_id', '=', from).execute()
    },
    isUsed: async (id) => {
      const row = await database
        .selectFrom('agent_versions')
        .select('version')
        .where('environment_id', '=', id)
        .executeTakeFirst()
      if (row !== undefined) return true
      const draft = database.selectFrom('agent_drafts').select('id').where('environment_id', '=', id)
      return (await draft.where('state', '=', 'waiting').executeTakeFirst()) !== undefined
    },
    unusedIds: async () => {
      const rows = await database
        .selectFrom(table)
        .select('id')
        .where('state', '=', 'kept')
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('agent_versions')
                .select('version')
                .whereRef('agent_versions.environment_id', '=', 'agent_environments.id'),
            ),
          ),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('agent_drafts')
                .select('agent_drafts.id')
                .where('agent_drafts.state', '=', 'waiting')
                .whereRef('agent_drafts.environment_id', '=', 'agent_environments.id'),
            ),
          ),
        )
        .execute()
      return rows.map(({ id }) => id)
    },
  }
}
