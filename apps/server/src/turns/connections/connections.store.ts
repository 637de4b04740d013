import type { Kysely } from 'kysely'
import { workspaceOwnerSql } from '../../threads/public.ts'
import type { ConnectionRow, ConnectionTables, ConnectionToolRow } from './connections.table.ts'
import type { KnownTool } from './tool-list.logic.ts'

export type ConnectionColumns = Partial<Omit<ConnectionRow, 'id' | 'user_id' | 'workspace_id' | 'created_at'>>

type SealedRow = Pick<ConnectionRow, 'id' | 'revision' | 'sealed_secret'>

/** The only code that touches `connections` and `connection_tools`. */
export type ConnectionStore = {
  find(id: string): Promise<ConnectionRow | undefined>
  /** The user's own connections and those of these workspaces, oldest first. */
  list(userId: string | null, workspaceIds: readonly string[]): Promise<ConnectionRow[]>
  /** All connections of all users that have a secret. */
  secrets(): Promise<Pick<ConnectionRow, 'auth_kind' | 'sealed_secret'>[]>
  /** Names of a workspace's connections. */
  namesIn(workspaceId: string): Promise<string[]>
  /** Throws a violation of the unique index if the scope already has this slug. */
  insert(row: ConnectionRow): Promise<void>
  update(id: string, columns: ConnectionColumns): Promise<void>
  /**
   * Replaces the sealed secret that was read with this row, and sets `revision` if given; false when the secret has
   * changed since.
   */
  replaceSecret(row: SealedRow, sealed: string, revision?: number): Promise<boolean>
  delete(id: string): Promise<void>
  /** Gives those that the person has created for workspaces to the workspaces’ owners. */
  release(userId: string): Promise<void>
  /** Tools by connection, in the server's order. */
  tools(connectionIds: readonly string[]): Promise<Map<string, KnownTool[]>>
  /**
   * Replaces the stored tools by the result of `change`, which can also set columns of the connection. Returns
   * undefined without a change when the connection was deleted or changed since `row` was read.
   */
  changeTools(
    connection: { id: string; revision: number },
    change: (known: KnownTool[]) => { tools: KnownTool[]; columns?: ConnectionColumns },
  ): Promise<KnownTool[] | undefined>
}

export function makeConnectionStore(database: Kysely<ConnectionTables>): ConnectionStore {
  return {
    secrets: () =>
      database
        .selectFrom('connections')
        .select(['auth_kind', 'sealed_secret'])
        .where('sealed_secret', 'is not', null)
        .execute(),
    find: (id) => database.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst(),
    list: (userId, workspaceIds) =>
      database
        .selectFrom('connections')
        .selectAll()
        .where((row) => {
          const own = row.and([row('user_id', '=', userId), row('workspace_id', 'is', null)])
          return workspaceIds.length === 0 ? own : row.or([own, row('workspace_id', 'in', [...workspaceIds])])
        })
        .orderBy('created_at')
        .orderBy('id')
        .execute(),
    namesIn: async (workspaceId) => {
      const rows = database.selectFrom('connections').select('name').where('workspace_id', '=', workspaceId)
      return (await rows.orderBy('name').execute()).map(({ name }) => name)
    },
    insert: async (row) => {
      await database.insertInto('connections').values(row).execute()
    },
    update: async (id, columns) => {
      await database.updateTable('connections').set(columns).where('id', '=', id).execute()
    },
    replaceSecret: async (row, sealed, revision = row.revision) => {
      const changed = await database
        .updateTable('connections')
        .set({ sealed_secret: sealed, revision })
        .where('id', '=', row.id)
        .where('revision', '=', row.revision)
        .where('sealed_secret', 'is not distinct from', row.sealed_secret)
        .executeTakeFirst()
      return Number(changed.numUpdatedRows) === 1
    },
    delete: async (id) => {
      await database.deleteFrom('connections').where('id', '=', id).execute()
    },
    release: async (userId) => {
      await database
        .updateTable('connections')
        .set({ user_id: workspaceOwnerSql('connections') })
        .where('user_id', '=', userId)
        .where('workspace_id', 'is not', null)
        .execute()
    },
    tools: (connectionIds) => toolsOf(database, connectionIds),
    changeTools: (connection, change) =>
      database.transaction().execute(async (transaction) => {
        // Writing first locks the row, so that two checks of the same server run one after the other.
        const locked = await transaction
          .updateTable('connections')
          .set({ revision: connection.revision })
          .where('id', '=', connection.id)
          .where('revision', '=', connection.revision)
          .executeTakeFirst()
        if (Number(locked.numUpdatedRows) === 0) return undefined
        const known = (await toolsOf(transaction, [connection.id])).get(connection.id) ?? []
        const { tools, columns } = change(known)
        await transaction.deleteFrom('connection_tools').where('connection_id', '=', connection.id).execute()
        const rows = tools.map((tool, position) => toolRow(connection.id, { tool, position }))
        if (rows.length > 0) await transaction.insertInto('connection_tools').values(rows).execute()
        if (columns !== undefined) {
          await transaction.updateTable('connections').set(columns).where('id', '=', connection.id).execute()
        }
        return tools
      }),
  }
}

async function toolsOf(
  database: Kysely<ConnectionTables>,
  connectionIds: readonly string[],
): Promise<Map<string, KnownTool[]>> {
  if (connectionIds.length === 0) return new Map()
  const rows = await database
    .selectFrom('connection_tools')
    .selectAll()
    .where('connection_id', 'in', [...connectionIds])
    .orderBy('position')
    .execute()
  const byConnection = Map.groupBy(rows, (row) => row.connection_id)
  return new Map([...byConnection].map(([id, tools]) => [id, tools.map(toolOf)]))
}

type Definition = Pick<KnownTool, 'title' | 'description' | 'claims' | 'schema' | 'problem'>

function toolOf(row: ConnectionToolRow): KnownTool {
  return {
    name: row.name,
    ...(JSON.parse(row.definition_json) as Definition),
    fingerprint: row.fingerprint,
    approval: row.approval as KnownTool['approval'],
    isChanged: row.is_changed === 1,
    isListed: row.is_listed === 1,
  }
}

function toolRow(connectionId: string, { tool, position }: { tool: KnownTool; position: number }): ConnectionToolRow {
  const { title, description, claims, schema, problem } = tool
  return {
    connection_id: connectionId,
    name: tool.name,
    position,
    definition_json: JSON.stringify({ title, description, claims, schema, problem } satisfies Definition),
    fingerprint: tool.fingerprint,
    approval: tool.approval,
    is_changed: Number(tool.isChanged),
    is_listed: Number(tool.isListed),
  }
}
