import { type Kysely, sql } from 'kysely'
import type { ThreadRow, ThreadTables } from './threads.table.ts'

export type ThreadCursor = { isPinned: number; updatedAt: number; id: string }

type ThreadSlice = { after: ThreadCursor | null; limit: number; within: readonly string[] | null }

/**
 * Threads as one person has them: whether they are pinned, and up to where they were read. A thread’s creator has that in
 * `threads`, other members of its workspace in `thread_views`.
 */
export type ThreadViewStore = {
  /** Threads that the person can see: pinned first, then the newest; without deleted ones. `within`: only of these workspaces. */
  list(userId: string, page: ThreadSlice): Promise<ThreadRow[]>
  /** The row with what these people have for themselves, by person. */
  seenBy(row: ThreadRow, userIds: readonly string[]): Promise<Map<string, ThreadRow>>
  pin(row: Seen, userId: string, isPinned: boolean): Promise<void>
  /** Marks everything recorded as read. */
  markRead(row: Seen, userId: string): Promise<void>
}
type Seen = Pick<ThreadRow, 'id' | 'user_id'>

/** What a view depends on beside threads: who is a member since when. */
type Tables = ThreadTables & {
  workspace_members: { workspace_id: string; user_id: string; joined_at: number }
}

export function makeThreadViewStore(database: Kysely<ThreadTables>): ThreadViewStore {
  const tables = database as unknown as Kysely<Tables>
  return {
    list: async (userId, page) => {
      if (page.within?.length === 0) return []
      const [own, others] = [await ownThreads(tables, userId, page), await othersThreads(tables, userId, page)]
      if (others.length === 0) return own
      return [...own, ...others].toSorted(inListOrder).slice(0, page.limit)
    },
    seenBy: async (row, userIds) => {
      const others = userIds.filter((userId) => userId !== row.user_id)
      const views = others.length === 0 ? [] : await viewsOf(tables, row, others)
      const seen = new Map(views.map((view) => [view.user_id, personal(row, view)]))
      return new Map(userIds.map((userId) => [userId, seen.get(userId) ?? row]))
    },
    pin: async (row, userId, isPinned) => {
      const is_pinned = isPinned ? 1 : 0
      if (row.user_id === userId) {
        await database.updateTable('threads').set({ is_pinned }).where('id', '=', row.id).execute()
      } else await putView(database, { row, userId, columns: { is_pinned } })
    },
    markRead: async (row, userId) => {
      if (row.user_id === userId) {
        await database
          .updateTable('threads')
          .set((builder) => ({ read_seq: builder.ref('last_seq') }))
          .where('id', '=', row.id)
          .execute()
        return
      }
      const { last_seq: read_seq } = await database
        .selectFrom('threads')
        .select('last_seq')
        .where('id', '=', row.id)
        .executeTakeFirstOrThrow()
      await putView(database, { row, userId, columns: { read_seq } })
    },
  }
}

/** The workspaces of a person. Without membership, a thread that they created in one is not theirs to see. */
function isMemberOf(userId: string) {
  return sql<boolean>`workspace_id in (select workspace_id from workspace_members where user_id = ${userId})`
}

async function ownThreads(database: Kysely<Tables>, userId: string, page: ThreadSlice): Promise<ThreadRow[]> {
  const { within } = page
  return await database
    .selectFrom('threads')
    .selectAll()
    .where('user_id', '=', userId)
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('workspace_id', 'is', null), isMemberOf(userId)]))
    .$if(within !== null, (query) => query.where('workspace_id', 'in', within ?? []))
    .where(({ ref }) => isAfter(page.after, { pinned: ref('is_pinned'), updated: ref('updated_at'), id: ref('id') }))
    .orderBy('is_pinned', 'desc')
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute()
}

async function othersThreads(database: Kysely<Tables>, userId: string, page: ThreadSlice): Promise<ThreadRow[]> {
  const { within } = page
  const pinned = sql<number>`coalesce(view.is_pinned, 0)`
  const rows = await database
    .selectFrom('workspace_members as member')
    .innerJoin('threads as thread', 'thread.workspace_id', 'member.workspace_id')
    .leftJoin('thread_views as view', (join) =>
      join.onRef('view.thread_id', '=', 'thread.id').on('view.user_id', '=', userId),
    )
    .selectAll('thread')
    .select(['member.joined_at', 'view.is_pinned as own_pinned', 'view.read_seq as own_read_seq'])
    .where('member.user_id', '=', userId)
    .where('thread.user_id', '!=', userId)
    .where('thread.is_private', '=', 0)
    .where('thread.deleted_at', 'is', null)
    .$if(within !== null, (query) => query.where('thread.workspace_id', 'in', within ?? []))
    .where(({ ref }) => isAfter(page.after, { pinned, updated: ref('thread.updated_at'), id: ref('thread.id') }))
    .orderBy(pinned, 'desc')
    .orderBy('thread.updated_at', 'desc')
    .orderBy('thread.id', 'desc')
    .limit(page.limit)
    .execute()
  return rows.map(({ joined_at, own_pinned, own_read_seq, ...row }) =>
    personal(row, { joined_at, is_pinned: own_pinned, read_seq: own_read_seq }),
  )
}

type Expression = ReturnType<typeof sql>

function isAfter(after: ThreadCursor | null, { pinned, updated, id }: Record<'pinned' | 'updated' | 'id', unknown>) {
  if (after === null) return sql<boolean>`true`
  const [p, u, i] = [pinned, updated, id] as [Expression, Expression, Expression]
  return sql<boolean>`(${p}, ${u}, ${i}) < (${after.isPinned}, ${after.updatedAt}, ${after.id})`
}

type View = { joined_at: number; is_pinned: number | null; read_seq: number | null }

async function viewsOf(database: Kysely<Tables>, row: ThreadRow, userIds: readonly string[]) {
  return await database
    .selectFrom('workspace_members as member')
    .leftJoin('thread_views as view', (join) =>
      join.onRef('view.user_id', '=', 'member.user_id').on('view.thread_id', '=', row.id),
    )
    .select(['member.user_id', 'member.joined_at', 'view.is_pinned', 'view.read_seq'])
    .where('member.workspace_id', '=', row.workspace_id ?? '')
    .where('member.user_id', 'in', userIds)
    .execute()
}

/** What happened in a thread before a person joined is not news to them. */
function personal(row: ThreadRow, { joined_at, is_pinned, read_seq }: View): ThreadRow {
  const unread = row.updated_at <= joined_at ? row.news_seq : 0
  return { ...row, is_pinned: is_pinned ?? 0, read_seq: read_seq ?? unread }
}

function inListOrder(one: ThreadRow, other: ThreadRow): number {
  return (
    other.is_pinned - one.is_pinned ||
    other.updated_at - one.updated_at ||
    (one.id < other.id ? 1 : one.id > other.id ? -1 : 0)
  )
}

async function putView(
  database: Kysely<ThreadTables>,
  change: { row: Seen; userId: string; columns: { is_pinned?: number; read_seq?: number } },
): Promise<void> {
  const { row, userId, columns } = change
  await database
    .insertInto('thread_views')
    .values({ thread_id: row.id, user_id: userId, is_pinned: 0, read_seq: 0, ...columns })
    .onConflict((conflict) => conflict.columns(['thread_id', 'user_id']).doUpdateSet(columns))
    .execute()
}
