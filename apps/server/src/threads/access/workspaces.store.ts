import type { Kysely } from 'kysely'
import type { WorkspaceMemberRow, WorkspaceRow, WorkspaceTables } from './workspaces.table.ts'

/** A workspace with the settings of one of its members. */
export type WorkspaceOfMember = WorkspaceRow &
  Pick<WorkspaceMemberRow, 'role' | 'position' | 'is_collapsed'> & { member_count: number }

/** The only code that touches `workspaces` and `workspace_members`. */
export type WorkspaceStore = {
  /**
   * Inserts the workspace with its first member, at the end of that user's order. Throws a unique violation when the
   * name is taken.
   */
  insert(row: WorkspaceRow, member: { role: string }): Promise<void>
  /** Also finds a deleted workspace until its undo time is over. */
  find(userId: string, workspaceId: string): Promise<WorkspaceOfMember | undefined>
  findAny(workspaceId: string): Promise<WorkspaceRow | undefined>
  /** In the user's order, without deleted ones. */
  list(userId: string): Promise<WorkspaceOfMember[]>
  memberIds(workspaceId: string): Promise<string[]>
  role(userId: string, workspaceId: string): Promise<string | undefined>
  /** Every member. */
  roles(workspaceId: string): Promise<{ userId: string; role: string; joinedAt: number }[]>
  /** The roles of a person, by workspace. */
  rolesOf(userId: string): Promise<Map<string, string>>
  /** Adds a member at the end of that user’s order, or changes the role of one. */
  setRole(member: Pick<WorkspaceMemberRow, 'workspace_id' | 'user_id' | 'role' | 'joined_at'>): Promise<void>
  removeMember(userId: string, workspaceId: string): Promise<void>
  update(workspaceId: string, columns: Partial<WorkspaceRow>): Promise<void>
  setCollapsed(userId: string, workspaceId: string, isCollapsed: boolean): Promise<void>
  /**
   * Moves a workspace before another one of the user, or to the end. Returns false when one of the two no longer
   * exists.
   */
  place(userId: string, workspaceId: string, before: string | null): Promise<boolean>
  /** Workspaces that set policy or limits themselves. */
  withValues(): Promise<Pick<WorkspaceRow, 'id' | 'policy_json' | 'limits_json'>[]>
  deletedIds(): Promise<string[]>
  erase(workspaceId: string): Promise<void>
}

export function makeWorkspaceStore(database: Kysely<WorkspaceTables>): WorkspaceStore {
  return {
    ...memberQueries(database),
    insert: (row, { role }) => insert(database, row, role),
    setRole: (member) => database.transaction().execute((transaction) => putMember(transaction, member)),
    removeMember: async (userId, workspaceId) => {
      await database
        .deleteFrom('workspace_members')
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .execute()
    },
    findAny: (workspaceId) =>
      database.selectFrom('workspaces').selectAll().where('id', '=', workspaceId).executeTakeFirst(),
    update: async (workspaceId, columns) => {
      if (Object.keys(columns).length === 0) return
      await database.updateTable('workspaces').set(columns).where('id', '=', workspaceId).execute()
    },
    withValues: () =>
      database
        .selectFrom('workspaces')
        .select(['id', 'policy_json', 'limits_json'])
        .where((builder) => builder.or([builder('policy_json', '!=', '{}'), builder('limits_json', '!=', '{}')]))
        .execute(),
    deletedIds: async () => {
      const rows = await database.selectFrom('workspaces').select('id').where('deleted_at', 'is not', null).execute()
      return rows.map((row) => row.id)
    },
    erase: async (workspaceId) => {
      await database.deleteFrom('workspaces').where('id', '=', workspaceId).execute()
    },
  }
}

function ofMember(database: Kysely<WorkspaceTables>, userId: string) {
  return database
    .selectFrom('workspaces')
    .innerJoin('workspace_members', 'workspace_members.workspace_id', 'workspaces.id')
    .selectAll('workspaces')
    .select(['workspace_members.role', 'workspace_members.position', 'workspace_members.is_collapsed'])
    .select((builder) =>
      builder
        .selectFrom('workspace_members as other')
        .whereRef('other.workspace_id', '=', 'workspaces.id')
        .select((counted) => counted.fn.countAll<number>().as('count'))
        .as('member_count'),
    )
    .$narrowType<{ member_count: number }>()
    .where('workspace_members.user_id', '=', userId)
}

function inOrder(database: Kysely<WorkspaceTables>, userId: string) {
  return ofMember(database, userId)
    .where('workspaces.deleted_at', 'is', null)
    .orderBy('workspace_members.position')
    .orderBy('workspaces.id')
    .execute()
}

function memberQueries(
  database: Kysely<WorkspaceTables>,
): Pick<WorkspaceStore, 'find' | 'list' | 'memberIds' | 'role' | 'roles' | 'rolesOf' | 'setCollapsed' | 'place'> {
  return {
    find: (userId, workspaceId) =>
      ofMember(database, userId).where('workspaces.id', '=', workspaceId).executeTakeFirst(),
    list: (userId) => inOrder(database, userId),
    memberIds: async (workspaceId) => {
      const rows = await database
        .selectFrom('workspace_members')
        .select('user_id')
        .where('workspace_id', '=', workspaceId)
        .execute()
      return rows.map((row) => row.user_id)
    },
    role: async (userId, workspaceId) => {
      const row = await database
        .selectFrom('workspace_members')
        .select('role')
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row?.role
    },
    roles: async (workspaceId) => {
      const rows = await database
        .selectFrom('workspace_members')
        .select(['user_id', 'role', 'joined_at'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('user_id')
        .execute()
      return rows.map(({ user_id, role, joined_at }) => ({ userId: user_id, role, joinedAt: joined_at }))
    },
    rolesOf: async (userId) => {
      const members = database.selectFrom('workspace_members').select(['workspace_id', 'role'])
      const rows = await members.where('user_id', '=', userId).execute()
      return new Map(rows.map(({ workspace_id, role }) => [workspace_id, role]))
    },
    setCollapsed: async (userId, workspaceId, isCollapsed) => {
      await database
        .updateTable('workspace_members')
        .set({ is_collapsed: isCollapsed ? 1 : 0 })
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .execute()
    },
    place: (userId, workspaceId, before) => place(database, { userId, workspaceId, before }),
  }
}

async function insert(database: Kysely<WorkspaceTables>, row: WorkspaceRow, role: string): Promise<void> {
  await database.transaction().execute(async (transaction) => {
    await transaction.insertInto('workspaces').values(row).execute()
    await putMember(transaction, { workspace_id: row.id, user_id: row.owner_id, role, joined_at: row.created_at })
  })
}

async function putMember(
  transaction: Kysely<WorkspaceTables>,
  member: Omit<WorkspaceMemberRow, 'position' | 'is_collapsed'>,
): Promise<void> {
  const last = await transaction
    .selectFrom('workspace_members')
    .select((builder) => builder.fn.max('position').as('position'))
    .where('user_id', '=', member.user_id)
    .executeTakeFirst()
  const position = Number(last?.position ?? 0) + 1
  await transaction
    .insertInto('workspace_members')
    .values({ ...member, position, is_collapsed: 0 })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doUpdateSet({ role: member.role }))
    .execute()
}

/** Concurrent calls always leave a valid order: positions are only compared, and ids break ties. */
async function place(
  database: Kysely<WorkspaceTables>,
  move: { userId: string; workspaceId: string; before: string | null },
): Promise<boolean> {
  const { userId, workspaceId, before } = move
  return await database.transaction().execute(async (transaction) => {
    const ids = (await inOrder(transaction, userId)).map(({ id }) => id)
    if (!ids.includes(workspaceId) || (before !== null && !ids.includes(before))) return false
    const others = ids.filter((id) => id !== workspaceId)
    others.splice(before === null ? others.length : others.indexOf(before), 0, workspaceId)
    // All transactions lock the rows in the same order, so that two can't wait for each other.
    const places = [...others.entries()].toSorted(([, one], [, other]) => (one < other ? -1 : 1))
    for (const [index, id] of places) {
      await transaction
        .updateTable('workspace_members')
        .set({ position: index + 1 })
        .where('workspace_id', '=', id)
        .where('user_id', '=', userId)
        .where('position', '!=', index + 1)
        .execute()
    }
    return true
  })
}
