import type { Kysely } from 'kysely'
import type { ConnectionRow, ConnectionTables, ConnectionToolRow } from './connections.table.ts'
import type { KnownTool } from './tool-list.models.ts'

export type ConnectionColumns = Partial<Omit<ConnectionRow, 'id' | 'user_id' | 'workspace_id' | 'created_at'>>

type SealedRow = Pick<ConnectionRow, 'id' | 'revision' | 'sealed_secret'>

/** The only code that touches `connections` and `connection_tools`. */
export type ConnectionStore = {
  find(id: string): Promise<ConnectionRow | undefined>
  /** The person's own, and those of these workspaces, oldest first. */
  list(userId: string, workspaceIds: readonly string[]): Promise<ConnectionRow[]>
  /** Of everybody's connections that have a secret. */
  secrets(): Promise<Pick<ConnectionRow, 'auth_kind' | 'sealed_secret'>[]>
  /** What the connections of a workspace are called. */
  namesIn(workspaceId: string): Promise<string[]>
  /** Throws a violation of the unique index when the slug is taken where the connection is. */
  insert(row: ConnectionRow): Promise<void>
  update(id: string, columns: ConnectionColumns): Promise<void>
  /** Replaces the sealed secret that was read with this row; false when it was changed since. `revision`: the new one. */
  replaceSecret(row: SealedRow, sealed: string, revision?: number): Promise<boolean>
  delete(id: string): Promise<void>
  /** By connection, in the server's order. */
  tools(connectionIds: readonly string[]): Promise<Map<string, KnownTool[]>>
  /**
   * Replaces what is known of the tools by what `change` makes of it, with columns of the connection. Nothing happens,
   * and undefined is returned, when the connection is gone or was changed meanwhile.
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
    tools: (connectionIds) => toolsOf(database, connectionIds),
    changeTools: (connection, change) =>
      database.transaction().execute(async (transaction) => {
        // Writing first takes the row's lock, so that two looks at the same server follow each other.
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
