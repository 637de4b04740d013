import { type RawBuilder, sql } from 'kysely'

/** The owner of the workspace that a row of the table is in, for updates of that table. */
export function workspaceOwnerSql(table: string): RawBuilder<string> {
  return sql<string>`(
    select workspaces.owner_id from workspaces where workspaces.id = ${sql.ref(`${table}.workspace_id`)}
  )`
}
