import type { Kysely } from 'kysely'
import type { AgentDraftRow, AgentDraftTables } from './agent-drafts.table.ts'

/** The only code that writes `agent_drafts`. A home is the ID of a user or a workspace. */
export type AgentDraftStore = {
  insert(row: AgentDraftRow): Promise<void>
  /** Drafts that wait for a review. */
  find(draftId: string): Promise<AgentDraftRow | undefined>
  /** Oldest first. */
  list(homes: readonly string[]): Promise<AgentDraftRow[]>
  count(home: string): Promise<number>
  /** Ends the wait. False if another request was faster. */
  close(draftId: string, writer?: Kysely<never>): Promise<boolean>
  remove(draftId: string): Promise<void>
  /** Drafts that were accepted or declined, but whose content may still exist. */
  goneIds(): Promise<string[]>
}

export function makeAgentDraftStore(database: Kysely<AgentDraftTables>): AgentDraftStore {
  const waiting = () => database.selectFrom('agent_drafts').selectAll().where('state', '=', 'waiting')
  return {
    insert: async (row) => {
      await database.insertInto('agent_drafts').values(row).execute()
    },
    find: (id) => waiting().where('id', '=', id).executeTakeFirst(),
    list: async (homes) => {
      if (homes.length === 0) return []
      return await waiting().where('home', 'in', homes).orderBy('imported_at').orderBy('id').execute()
    },
    count: async (home) => (await waiting().where('home', '=', home).execute()).length,
    close: async (id, writer) => {
      const tables = (writer as unknown as Kysely<AgentDraftTables> | undefined) ?? database
      const result = await tables
        .updateTable('agent_drafts')
        .set({ state: 'gone' })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    remove: async (id) => {
      await database.deleteFrom('agent_drafts').where('id', '=', id).execute()
    },
    goneIds: async () => {
      const rows = await database.selectFrom('agent_drafts').select('id').where('state', '=', 'gone').execute()
      return rows.map(({ id }) => id)
    },
  }
}
