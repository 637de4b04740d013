import type { Kysely } from 'kysely'
import { workspaceOwnerSql } from '../../threads/public.ts'
import type { AgentRow, AgentTables, AgentVersionRow } from './agents.table.ts'

/** An agent with the version that its threads start from. */
export type AgentWithCurrent = { agent: AgentRow; current: AgentVersionRow }

/** Work in the transaction that inserts an agent; a failure undoes both. */
export type Alongside = (writer: Kysely<never>) => Promise<void>

/** The only code that accesses `agents` and `agent_versions`. A home is the ID of a user or a workspace. */
export type AgentStore = {
  /**
   * Inserts an agent with its first version, in one transaction with `alongside`. Throws a unique violation if its home
   * already has an agent of this name.
   */
  insert(agent: AgentRow, first: { version: AgentVersionRow; alongside: Alongside }): Promise<void>
  find(agentId: string): Promise<AgentRow | undefined>
  /** Sorted by name. */
  list(homes: readonly string[]): Promise<AgentWithCurrent[]>
  count(home: string): Promise<number>
  /** Throws a unique violation as {@link insert}. */
  update(agentId: string, columns: Partial<AgentRow>): Promise<void>
  version(agentId: string, version: number): Promise<AgentVersionRow | undefined>
  /** Newest first. */
  versions(agentId: string): Promise<AgentVersionRow[]>
  /** Adds a version with the next number and makes it the current one. Undefined if the agent no longer exists. */
  addVersion(agentId: string, version: Omit<AgentVersionRow, 'agent_id' | 'version'>): Promise<number | undefined>
  /** Makes a version the current one. False if the version or the agent no longer exists. */
  setCurrent(agentId: string, version: number, at: number): Promise<boolean>
  /** Deletes a version. False if it is the current one or no longer exists. */
  removeVersion(agentId: string, version: number): Promise<boolean>
  remove(agentId: string): Promise<void>
  idsIn(workspaceId: string): Promise<string[]>
  /** Gives those that the person has created for workspaces to the workspaces’ owners. */
  release(userId: string): Promise<void>
}

export function makeAgentStore(database: Kysely<AgentTables>): AgentStore {
  return {
    ...versionQueries(database),
    insert: async (agent, { version, alongside }) => {
      await database.transaction().execute(async (transaction) => {
        await alongside(transaction as unknown as Kysely<never>)
        await transaction.insertInto('agents').values(agent).execute()
        await transaction.insertInto('agent_versions').values(version).execute()
      })
    },
    find: (agentId) => database.selectFrom('agents').selectAll().where('id', '=', agentId).executeTakeFirst(),
    list: (homes) => list(database, homes),
    count: async (home) => {
      const row = await database
        .selectFrom('agents')
        .select((builder) => builder.fn.countAll().as('count'))
        .where('home', '=', home)
        .executeTakeFirst()
      return Number(row?.count ?? 0)
    },
    update: async (agentId, columns) => {
      await database.updateTable('agents').set(columns).where('id', '=', agentId).execute()
    },
    remove: async (agentId) => {
      await database.deleteFrom('agents').where('id', '=', agentId).execute()
    },
    release: async (userId) => {
      await database
        .updateTable('agents')
        .set({ owner_id: workspaceOwnerSql('agents') })
        .where('owner_id', '=', userId)
        .where('workspace_id', 'is not', null)
        .execute()
    },
    idsIn: async (workspaceId) => {
      const rows = await database.selectFrom('agents').select('id').where('workspace_id', '=', workspaceId).execute()
      return rows.map(({ id }) => id)
    },
  }
}

async function list(database: Kysely<AgentTables>, homes: readonly string[]): Promise<AgentWithCurrent[]> {
  if (homes.length === 0) return []
  const agents = await database
    .selectFrom('agents')
    .selectAll()
    .where('home', 'in', homes)
    .orderBy('name_key')
    .orderBy('id')
    .execute()
  const currents = await database
    .selectFrom('agent_versions')
    .innerJoin('agents', (join) =>
      join
        .onRef('agents.id', '=', 'agent_versions.agent_id')
        .onRef('agents.current_version', '=', 'agent_versions.version'),
    )
    .selectAll('agent_versions')
    .where('agents.home', 'in', homes)
    .execute()
  const byAgent = new Map(currents.map((current) => [current.agent_id, current]))
  return agents.flatMap((agent) => {
    const current = byAgent.get(agent.id)
    return current === undefined ? [] : [{ agent, current }]
  })
}

function versionQueries(
  database: Kysely<AgentTables>,
): Pick<AgentStore, 'version' | 'versions' | 'addVersion' | 'setCurrent' | 'removeVersion'> {
  const find = (agentId: string, version: number) =>
    database
      .selectFrom('agent_versions')
      .selectAll()
      .where('agent_id', '=', agentId)
      .where('version', '=', version)
      .executeTakeFirst()
  return {
    version: find,
    versions: (agentId) =>
      database
        .selectFrom('agent_versions')
        .selectAll()
        .where('agent_id', '=', agentId)
        .orderBy('version', 'desc')
        .execute(),
    addVersion: (agentId, row) =>
      database.transaction().execute(async (transaction) => {
        // Counts first, so that two concurrent saves get different numbers.
        const agent = await transaction
          .updateTable('agents')
          .set((builder) => ({ last_version: builder('last_version', '+', 1), updated_at: row.created_at }))
          .where('id', '=', agentId)
          .returning('last_version')
          .executeTakeFirst()
        if (agent === undefined) return undefined
        const version = agent.last_version
        await transaction
          .insertInto('agent_versions')
          .values({ ...row, agent_id: agentId, version })
          .execute()
        await transaction.updateTable('agents').set({ current_version: version }).where('id', '=', agentId).execute()
        return version
      }),
    setCurrent: async (agentId, version, at) => {
      const result = await database
        .updateTable('agents')
        .set({ current_version: version, updated_at: at })
        .where('id', '=', agentId)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('agent_versions')
              .select('version')
              .where('agent_id', '=', agentId)
              .where('version', '=', version),
          ),
        )
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
    removeVersion: (agentId, version) =>
      database.transaction().execute(async (transaction) => {
        // Locks the agent’s row, so that the version cannot become the current one in the meantime.
        await transaction
          .updateTable('agents')
          .set((builder) => ({ updated_at: builder.ref('updated_at') }))
          .where('id', '=', agentId)
          .execute()
        const result = await transaction
          .deleteFrom('agent_versions')
          .where('agent_id', '=', agentId)
          .where('version', '=', version)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom('agents').select('id').where('id', '=', agentId).where('current_version', '=', version),
              ),
            ),
          )
          .executeTakeFirst()
        return result.numDeletedRows > 0n
      }),
  }
}
