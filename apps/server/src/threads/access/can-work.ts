import { roleAllows, workspaceRoles } from '@threadbox/domain'
import { type RawBuilder, sql } from 'kysely'

const workers = workspaceRoles.filter((role) => roleAllows(role, 'work', false))

/**
 * As `Access.roleMay` with `work`, for queries that check it together with something else. `thread` is the alias of
 * `threads`, `person` the column with the person.
 */
export function canWorkSql({ thread, person }: { thread: string; person: string }): RawBuilder<boolean> {
  const of = (column: string) => sql.ref(`${thread}.${column}`)
  return sql<boolean>`(
    ${of('workspace_id')} is null and ${of('user_id')} = ${sql.ref(person)}
    or (${of('is_private')} = 0 or ${of('user_id')} = ${sql.ref(person)}) and exists (
      select 1 from workspace_members
      where workspace_members.workspace_id = ${of('workspace_id')}
        and workspace_members.user_id = ${sql.ref(person)}
        and workspace_members.role in (${sql.join(workers)})
    )
  )`
}
