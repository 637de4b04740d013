import { type Kysely, sql } from 'kysely'
import type { HandOverOrder } from '../../people/public.ts'
import type { WorkspaceTables } from '../access/workspaces.table.ts'
import type { ThreadTables } from '../log/threads.table.ts'

type Tables = Pick<ThreadTables, 'threads' | 'thread_views'> & WorkspaceTables

/** Threads and workspaces of people who leave. */
export type LeavingThreadStore = {
  /** Also deleted ones, until their undo time is over. */
  ids(userId: string): Promise<{ id: string; workspaceId: string | null }[]>
  counts(userId: string): Promise<{ threads: number; sharedThreads: number; workspaces: number }>
  /** Gives the threads to the other person; their pins and read marks of them become those of the creator. */
  give(order: HandOverOrder): Promise<void>
  memberships(userId: string): Promise<{ workspaceId: string; role: string }[]>
  /** Workspaces that the person owns or has created, with the other members: owners first, then by how long they are in it. */
  madeBy(userId: string): Promise<{ id: string; members: { userId: string; role: string }[] }[]>
  /** Makes a workspace that `from` has created that of `to`, under another name if they have one of this name. */
  transfer(workspaceId: string, people: { from: string; to: string }): Promise<void>
}

export function makeLeavingThreadStore(database: Kysely<Tables>): LeavingThreadStore {
  const memberships: LeavingThreadStore['memberships'] = async (userId) => {
    const rows = database.selectFrom('workspace_members').select(['workspace_id', 'role']).where('user_id', '=', userId)
    return (await rows.execute()).map(({ workspace_id, role }) => ({ workspaceId: workspace_id, role }))
  }
  return {
    memberships,
    ids: async (userId) => {
      const rows = await database
        .selectFrom('threads')
        .select(['id', 'workspace_id'])
        .where('user_id', '=', userId)
        .execute()
      return rows.map(({ id, workspace_id }) => ({ id, workspaceId: workspace_id }))
    },
    counts: (userId) => countsOf(database, userId),
    give: ({ from, to, threadIds }) =>
      database.transaction().execute(async (transaction) => {
        if (threadIds !== 'all' && threadIds.length === 0) return
        const given = await transaction
          .updateTable('threads')
          .set({ user_id: to, is_pinned: 0, is_personal_off: 1 })
          .where('user_id', '=', from)
          .$if(threadIds !== 'all', (query) => query.where('id', 'in', threadIds === 'all' ? [] : [...threadIds]))
          .returning('id')
          .execute()
        for (const { id } of given) {
          await transaction.deleteFrom('thread_views').where('thread_id', '=', id).where('user_id', '=', to).execute()
        }
      }),
    madeBy: (userId) => madeBy(database, userId),
    transfer: (workspaceId, people) =>
      database.transaction().execute((transaction) => transfer(transaction, workspaceId, people)),
  }
}

async function countsOf(database: Kysely<Tables>, userId: string) {
  const own = () => database.selectFrom('threads').where('user_id', '=', userId).where('deleted_at', 'is', null)
  const count = async (query: { execute(): Promise<{ count: number | string | bigint }[]> }) =>
    Number((await query.execute())[0]?.count ?? 0)
  const others = sql<boolean>`exists (
    select 1 from workspace_members
    where workspace_members.workspace_id = threads.workspace_id and workspace_members.user_id != ${userId}
  )`
  const alone = database
    .selectFrom('workspace_members as own')
    .innerJoin('workspaces', 'workspaces.id', 'own.workspace_id')
    .where('own.user_id', '=', userId)
    .where('workspaces.deleted_at', 'is', null)
    .where(
      sql<boolean>`not exists (
        select 1 from workspace_members as other
        where other.workspace_id = own.workspace_id and other.user_id != ${userId}
      )`,
    )
  return {
    threads: await count(own().select(({ fn }) => fn.countAll().as('count'))),
    sharedThreads: await count(
      own()
        .where('is_private', '=', 0)
        .where(others)
        .select(({ fn }) => fn.countAll().as('count')),
    ),
    workspaces: await count(alone.select(({ fn }) => fn.countAll().as('count'))),
  }
}

async function madeBy(database: Kysely<Tables>, userId: string) {
  const own = await database
    .selectFrom('workspaces')
    .leftJoin('workspace_members', (join) =>
      join.onRef('workspace_members.workspace_id', '=', 'workspaces.id').on('workspace_members.user_id', '=', userId),
    )
    .select(['workspaces.id', 'workspaces.owner_id', 'workspace_members.role'])
    .where((where) =>
      where.or([where('workspaces.owner_id', '=', userId), where('workspace_members.role', '=', 'owner')]),
    )
    .execute()
  const found: { id: string; members: { userId: string; role: string }[] }[] = []
  for (const { id } of own) {
    const members = await database
      .selectFrom('workspace_members')
      .select(['user_id', 'role'])
      .where('workspace_id', '=', id)
      .where('user_id', '!=', userId)
      .orderBy('joined_at')
      .orderBy('user_id')
      .execute()
    const rank = ({ role }: { role: string }) => ['owner', 'member', 'viewer'].indexOf(role)
    const inOrder = members.toSorted((one, other) => rank(one) - rank(other))
    found.push({ id, members: inOrder.map(({ user_id, role }) => ({ userId: user_id, role })) })
  }
  return found
}

async function transfer(
  transaction: Kysely<Tables>,
  workspaceId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  const row = await transaction.selectFrom('workspaces').selectAll().where('id', '=', workspaceId).executeTakeFirst()
  if (row?.owner_id !== from) return
  const taken = await transaction
    .selectFrom('workspaces')
    .select('name_key')
    .where('owner_id', '=', to)
    .where('id', '!=', workspaceId)
    .where('deleted_at', 'is', null)
    .execute()
  const isTaken = (key: string) => taken.some(({ name_key }) => name_key === key)
  let count = 1
  const ending = () => (count === 1 ? '' : ` (${count})`)
  while (isTaken(row.name_key + ending())) count += 1
  await transaction
    .updateTable('workspaces')
    .set({ owner_id: to, name: row.name + ending(), name_key: row.name_key + ending() })
    .where('id', '=', workspaceId)
    .execute()
}
