import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { PreviewTables, SandboxTables } from '../../sandboxes/public.ts'
import { markDeleted, type ThreadTables } from '../../threads/public.ts'
import type { TurnTables } from '../../turns/public.ts'
import type { RewindTables } from '../rewinds/rewinds.table.ts'
import type { ThreadLinkTables } from '../sharing/thread-links.table.ts'
import type { RunKeepRow, RunRow, RunTables } from './runs.table.ts'

/** The tables that show whether a thread is still needed. */
type Tables = RunTables &
  ThreadTables &
  TurnTables &
  SandboxTables &
  ThreadLinkTables &
  PreviewTables &
  RewindTables & { agents: { id: string; workspace_id: string | null } }

/** An ended run whose thread is to be deleted, because the agent keeps only the threads of its `keep` newest runs. */
export type OldRun = Pick<RunRow, 'id' | 'agent_id' | 'user_id' | 'title' | 'created_at'> & { thread_id: string }

type KeepRule = RunKeepRow & { now: number }

/** How many runs’ threads each agent keeps, and which threads exceed that number. */
export type KeptRunStore = {
  /** Null: all. */
  keepOf(agentId: string): Promise<number | null>
  setKeep(agentId: string, keep: number | null): Promise<void>
  /** The agents that keep a limited number. */
  limited(): Promise<RunKeepRow[]>
  /** Sorted by end, earliest first. */
  removable(wanted: KeepRule, limit: number): Promise<OldRun[]>
  countRemovable(wanted: KeepRule): Promise<number>
  isRemovable(run: OldRun, wanted: KeepRule): Promise<boolean>
  /**
   * Marks the thread of a run as deleted and records that with the run, both or neither. False if it must be kept by
   * now: the thread is needed, or the agent keeps more than when it was found.
   */
  mark(run: OldRun, wanted: KeepRule): Promise<boolean>
}

/** The databases require a limit with an offset. */
const noLimit = 1_000_000_000

export function makeKeptRunStore(database: Kysely<Tables>): KeptRunStore {
  const limited = () => database.selectFrom('run_keeps').selectAll()
  return {
    keepOf: async (agentId) => (await limited().where('agent_id', '=', agentId).executeTakeFirst())?.keep ?? null,
    limited: () => limited().orderBy('agent_id').execute(),
    setKeep: async (agentId, keep) => {
      if (keep === null) {
        await database.deleteFrom('run_keeps').where('agent_id', '=', agentId).execute()
        return
      }
      await database
        .insertInto('run_keeps')
        .values({ agent_id: agentId, keep })
        .onConflict((conflict) => conflict.column('agent_id').doUpdateSet({ keep }))
        .execute()
    },
    removable: async (wanted, limit) => {
      const rows = await removable(database, wanted)
        .select([
          'runs.id',
          'runs.agent_id',
          'runs.user_id',
          'runs.title',
          'runs.created_at',
          'threads.id as thread_id',
        ])
        .orderBy('runs.end_order')
        .orderBy('runs.created_at')
        .orderBy('runs.id')
        .limit(limit)
        .execute()
      return rows
    },
    countRemovable: async (wanted) => {
      const row = await removable(database, wanted)
        .select((builder) => builder.fn.countAll<number>().as('count'))
        .executeTakeFirst()
      return Number(row?.count ?? 0)
    },
    isRemovable: async (run, wanted) => {
      const found = removable(database, wanted).select('runs.id').where('runs.id', '=', run.id)
      return (await found.executeTakeFirst()) !== undefined
    },
    mark: (run, wanted) => database.transaction().execute((transaction) => mark(transaction, run, wanted)),
  }
}

async function mark(database: Kysely<Tables>, run: OldRun, wanted: KeepRule): Promise<boolean> {
  const keeps = database
    .selectFrom('run_keeps')
    .select('agent_id')
    .where('agent_id', '=', wanted.agent_id)
    .where('keep', '<=', wanted.keep)
  const result = await markDeleted(database.$pickTables<keyof ThreadTables>(), wanted.now)
    .where('id', '=', run.thread_id)
    // Repeated on the row itself: with concurrent changes, the database checks these conditions again at the write.
    .where('is_pinned', '=', 0)
    .where('running_turn_id', 'is', null)
    .where('id', 'in', removable(database, wanted).select('threads.id').where('runs.id', '=', run.id))
    .where(({ exists }) => exists(keeps))
    .executeTakeFirst()
  if (result.numUpdatedRows === 0n) return false
  await database.updateTable('runs').set({ thread_removed_at: wanted.now }).where('id', '=', run.id).execute()
  return true
}

/** Ended runs of an agent whose threads exist, exceed the number to keep and are not needed. */
function removable(database: Kysely<Tables>, wanted: KeepRule) {
  const older = ended(database, wanted.agent_id)
    .select('runs.id')
    .orderBy('runs.end_order', 'desc')
    .orderBy('runs.created_at', 'desc')
    .orderBy('runs.id', 'desc')
    .limit(noLimit)
    .offset(wanted.keep)
  return (
    ended(database, wanted.agent_id)
      .innerJoin('agents', 'agents.id', 'runs.agent_id')
      .where('runs.id', 'in', older)
      .where('threads.is_pinned', '=', 0)
      .where('threads.running_turn_id', 'is', null)
      // Keeps threads that were moved to a scope other than the agent’s.
      .where(({ eb, or, and, ref }) =>
        or([
          eb('threads.workspace_id', '=', ref('agents.workspace_id')),
          and([eb('threads.workspace_id', 'is', null), eb('agents.workspace_id', 'is', null)]),
        ]),
      )
      .where((builder) => builder.not(isNeeded(builder, wanted.now)))
  )
}

/**
 * The last use of a sandbox is recorded only now and then: a use within this time after the end of a run can be the
 * run’s own.
 */
const useOfRunMs = 60_000

/** Whether a user continued in the thread of a run, used its sandbox or rewound it, or others have access by a link. */
function isNeeded(builder: ExpressionBuilder<Tables, 'runs' | 'threads'>, now: number) {
  const { or, exists, selectFrom } = builder
  const continued = selectFrom('turn_runs')
    .select('turn_runs.id')
    .whereRef('turn_runs.thread_id', '=', 'threads.id')
    .where((turn) =>
      turn.or([
        turn('runs.turn_id', 'is', null),
        turn('turn_runs.id', '!=', turn.ref('runs.turn_id')),
        // The turn was retried.
        turn('turn_runs.allowance_from', '>', turn.ref('runs.ended_at')),
      ]),
    )
  const waiting = selectFrom('queued_messages')
    .select('queued_messages.entry_id')
    .whereRef('queued_messages.thread_id', '=', 'threads.id')
  const used = selectFrom('sandboxes')
    .select('sandboxes.id')
    .whereRef('sandboxes.thread_id', '=', 'threads.id')
    .where((sandbox) =>
      sandbox.or([
        sandbox('sandboxes.held_until', '>', now),
        sandbox('sandboxes.used_at', '>', sql<number>`${sandbox.ref('runs.ended_at')} + ${useOfRunMs}`),
      ]),
    )
  const rewind = selectFrom('rewinds').select('rewinds.id').whereRef('rewinds.thread_id', '=', 'threads.id')
  const readers = selectFrom('thread_links')
    .select('thread_links.id')
    .whereRef('thread_links.thread_id', '=', 'threads.id')
    .where((link) => link.or([link('thread_links.expires_at', 'is', null), link('thread_links.expires_at', '>', now)]))
  const visitors = selectFrom('preview_shares')
    .select('preview_shares.id')
    .whereRef('preview_shares.thread_id', '=', 'threads.id')
    .where((link) =>
      link.or([link('preview_shares.expires_at', 'is', null), link('preview_shares.expires_at', '>', now)]),
    )
  return or([continued, waiting, used, rewind, readers, visitors].map((rows) => exists(rows)))
}

function ended(database: Kysely<Tables>, agentId: string) {
  return database
    .selectFrom('runs')
    .innerJoin('threads', 'threads.id', 'runs.thread_id')
    .where('runs.agent_id', '=', agentId)
    .where('runs.ended_at', 'is not', null)
    .where('runs.thread_removed_at', 'is', null)
    .where('threads.deleted_at', 'is', null)
}
