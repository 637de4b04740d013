import { type Kysely, sql, type Transaction } from 'kysely'
import { lockUntilEnd } from '../../platform/database/database.ts'
import type { ThreadTables } from '../../threads/public.ts'
import type { RunRow, RunTables } from './runs.table.ts'

export type RunWriter = Kysely<RunTables> | Transaction<RunTables>
export type RunEnd = Pick<RunRow, 'status' | 'reason_json' | 'ended_at' | 'usage_json' | 'output'>
export type RunCursor = { at: number; id: string }

/**
 * The only code that accesses `runs`. Ended runs never change, except that the deletion of their thread is recorded.
 */
export type RunStore = {
  writer: RunWriter
  transaction<Value>(work: (writer: RunWriter) => Promise<Value>): Promise<Value>
  find(id: string): Promise<RunRow | undefined>
  findKey(run: { agentId: string; userId: string; key: string }): Promise<RunRow | undefined>
  /** Newest first. */
  list(agentId: string, page: { before: RunCursor | undefined; limit: number }): Promise<RunRow[]>
  insert(row: RunRow, writer: RunWriter): Promise<void>
  /** The number of a user’s queued runs. */
  countQueued(userId: string, writer: RunWriter): Promise<number>
  /** Whether a run of this trigger is queued or running. */
  hasOpen(triggerId: string, writer: RunWriter): Promise<boolean>
  /** Queued runs that can begin at this time, oldest first. */
  queued(now: number): Promise<RunRow[]>
  running(): Promise<RunRow[]>
  /** The earliest time at which a postponed run can begin. */
  nextBegin(now: number): Promise<number | undefined>
  /**
   * From queued to running. False if it was already started or canceled, or if the user has as many running as allowed, also
   * by another server at the same moment.
   */
  claim(run: { id: string; userId: string; atOnce: number }, start: { threadId: string; now: number }): Promise<boolean>
  countRunning(userId: string): Promise<number>
  /** Back to queued. */
  postpone(id: string, until: number): Promise<void>
  /** Updates a running run. */
  change(id: string, columns: Partial<Pick<RunRow, 'thread_id' | 'turn_id' | 'is_cancel_requested'>>): Promise<void>
  /** False if it is no longer in this state. */
  end(id: string, from: 'queued' | 'running', end: RunEnd): Promise<boolean>
  /** Which of these threads exist and are not deleted. */
  liveThreads(threadIds: readonly string[]): Promise<Set<string>>
  /** How many runs of everyone wait and are at work. */
  openCounts(): Promise<Map<string, number>>
  agentIds(): Promise<string[]>
  /** The newest run of each of these agents. */
  newest(agentIds: readonly string[]): Promise<RunRow[]>
  /**
   * Deletes ended runs of an agent that are older than `since` or beyond the newest `count`. If the agent keeps only
   * the threads of its newest runs, a run whose thread exists is kept: its row is the only link between the thread and
   * the run.
   */
  prune(agentId: string, keep: { since: number; count: number }): Promise<void>
}

export function makeRunStore(database: Kysely<RunTables & Pick<ThreadTables, 'threads'>>): RunStore {
  const runs = database as unknown as Kysely<RunTables>
  return {
    writer: runs,
    transaction: (work) => runs.transaction().execute(work),
    insert: async (row, writer) => {
      await writer.insertInto('runs').values(row).execute()
    },
    openCounts: async () => {
      const rows = await runs
        .selectFrom('runs')
        .select((select) => ['status', select.fn.countAll<number>().as('count')])
        .where('status', 'in', ['queued', 'running'])
        .groupBy('status')
        .execute()
      return new Map(rows.map(({ status, count }) => [status, Number(count)]))
    },
    liveThreads: async (threadIds) => {
      if (threadIds.length === 0) return new Set()
      const rows = database.selectFrom('threads').select('id').where('id', 'in', threadIds)
      return new Set((await rows.where('deleted_at', 'is', null).execute()).map(({ id }) => id))
    },
    ...reads(runs),
    ...changes(runs),
    prune: (agentId, keep) => prune(database, agentId, keep),
  }
}

function reads(
  database: Kysely<RunTables>,
): Pick<
  RunStore,
  'find' | 'findKey' | 'list' | 'countQueued' | 'hasOpen' | 'queued' | 'running' | 'nextBegin' | 'agentIds' | 'newest'
> {
  const all = () => database.selectFrom('runs').selectAll()
  return {
    find: (id) => all().where('id', '=', id).executeTakeFirst(),
    findKey: ({ agentId, userId, key }) =>
      all()
        .where('agent_id', '=', agentId)
        .where('user_id', '=', userId)
        .where('request_key', '=', key)
        .executeTakeFirst(),
    list: (agentId, { before, limit }) =>
      all()
        .where('agent_id', '=', agentId)
        .$if(before !== undefined, (query) =>
          query.where((where) => {
            const at = before?.at ?? 0
            const same = where.and([where('created_at', '=', at), where('id', '<', before?.id ?? '')])
            return where.or([where('created_at', '<', at), same])
          }),
        )
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute(),
    countQueued: async (userId, writer) => {
      const rows = writer.selectFrom('runs').select((count) => count.fn.countAll<number>().as('count'))
      const row = await rows.where('status', '=', 'queued').where('user_id', '=', userId).executeTakeFirst()
      return Number(row?.count ?? 0)
    },
    hasOpen: async (triggerId, writer) => {
      const rows = writer.selectFrom('runs').select('id').where('trigger_id', '=', triggerId)
      return (await rows.where('status', 'in', ['queued', 'running']).limit(1).executeTakeFirst()) !== undefined
    },
    queued: (now) =>
      all().where('status', '=', 'queued').where('not_before', '<=', now).orderBy('created_at').orderBy('id').execute(),
    running: () => all().where('status', '=', 'running').execute(),
    nextBegin: async (now) => {
      const rows = database.selectFrom('runs').select((first) => first.fn.min('not_before').as('at'))
      const row = await rows.where('status', '=', 'queued').where('not_before', '>', now).executeTakeFirst()
      return row?.at == null ? undefined : Number(row.at)
    },
    agentIds: async () => {
      const rows = await database.selectFrom('runs').select('agent_id').distinct().execute()
      return rows.map(({ agent_id }) => agent_id)
    },
    newest: async (agentIds) => {
      if (agentIds.length === 0) return []
      const rows = await all()
        .where('agent_id', 'in', agentIds)
        .where(({ eb, selectFrom }) =>
          eb(
            'created_at',
            '=',
            selectFrom('runs as other')
              .select((row) => row.fn.max('other.created_at').as('at'))
              .whereRef('other.agent_id', '=', 'runs.agent_id'),
          ),
        )
        .orderBy('id')
        .execute()
      // Of runs created in the same millisecond, the last one is first in the list.
      return [...new Map(rows.map((row) => [row.agent_id, row])).values()]
    },
  }
}

function changes(
  database: Kysely<RunTables>,
): Pick<RunStore, 'claim' | 'countRunning' | 'postpone' | 'change' | 'end'> {
  return {
    claim: ({ id, userId, atOnce }, { threadId, now }) =>
      database.transaction().execute(async (transaction) => {
        await lockUntilEnd(transaction, 'runs', [userId])
        if ((await countRunning(transaction, userId)) >= atOnce) return false
        const result = await transaction
          .updateTable('runs')
          .set({ status: 'running', thread_id: threadId, started_at: now })
          .where('id', '=', id)
          .where('status', '=', 'queued')
          .executeTakeFirst()
        return result.numUpdatedRows > 0n
      }),
    countRunning: (userId) => countRunning(database, userId),
    postpone: async (id, until) => {
      await database
        .updateTable('runs')
        .set((row) => ({
          status: 'queued',
          thread_id: null,
          started_at: null,
          not_before: until,
          attempts: row('attempts', '+', 1),
        }))
        .where('id', '=', id)
        .where('status', '=', 'running')
        .where('turn_id', 'is', null)
        .execute()
    },
    change: async (id, columns) => {
      await database.updateTable('runs').set(columns).where('id', '=', id).where('status', '=', 'running').execute()
    },
    end: async (id, from, end) => {
      const result = await database
        .updateTable('runs')
        .set(({ selectFrom }) => ({
          ...end,
          end_order: selectFrom('runs as other')
            .whereRef('other.agent_id', '=', 'runs.agent_id')
            .select((row) => sql<number>`coalesce(${row.fn.max('other.end_order')}, 0) + 1`.as('next')),
        }))
        .where('id', '=', id)
        .where('status', '=', from)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
  }
}

async function countRunning(database: RunWriter, userId: string): Promise<number> {
  const row = await database
    .selectFrom('runs')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('status', '=', 'running')
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

async function prune(
  database: Kysely<RunTables & Pick<ThreadTables, 'threads'>>,
  agentId: string,
  { since, count }: { since: number; count: number },
): Promise<void> {
  const first = await database
    .selectFrom('runs')
    .select('created_at')
    .where('agent_id', '=', agentId)
    .where('ended_at', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(count)
    .limit(1)
    .executeTakeFirst()
  const upTo = Math.max(since, (first?.created_at ?? -1) + 1)
  await database
    .deleteFrom('runs')
    .where('agent_id', '=', agentId)
    .where('ended_at', 'is not', null)
    .where('created_at', '<', upTo)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('run_keeps')
            .innerJoin('threads', (join) => join.onRef('threads.id', '=', 'runs.thread_id'))
            .whereRef('run_keeps.agent_id', '=', 'runs.agent_id')
            .where('runs.thread_removed_at', 'is', null)
            .where('threads.deleted_at', 'is', null)
            .select('threads.id'),
        ),
      ),
    )
    .execute()
}
