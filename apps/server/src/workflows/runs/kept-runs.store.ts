import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { PreviewTables, SandboxTables } from '../../sandboxes/public.ts'
import { markDeleted, type ThreadTables } from '../../threads/public.ts'
import type { TurnTables } from '../../turns/public.ts'
import type { RewindTables } from '../rewinds/rewinds.table.ts'
import type { ThreadLinkTables } from '../sharing/thread-links.table.ts'
import type { RunKeepRow, RunRow, RunTables } from './runs.table.ts'

/** The tables that say whether somebody or something still needs a thread. */
type Tables = RunTables &
  ThreadTables &
  TurnTables &
  SandboxTables &
  ThreadLinkTables &
  PreviewTables &
  RewindTables & { agents: { id: string; workspace_id: string | null } }

/** An ended run whose thread goes, because the agent keeps those of `keep` runs only. */
export type OldRun = Pick<RunRow, 'id' | 'agent_id' | 'user_id' | 'title' | 'created_at'> & { thread_id: string }

type Wanted = RunKeepRow & { now: number }

/** Of how many runs agents keep the threads, and which threads that leaves over. */
export type KeptRunStore = {
  /** Null: of all. */
  keepOf(agentId: string): Promise<number | null>
  setKeep(agentId: string, keep: number | null): Promise<void>
  /** Agents that do not keep all. */
  limited(): Promise<RunKeepRow[]>
  /** Those that ended first at the beginning. */
  removable(wanted: Wanted, limit: number): Promise<OldRun[]>
  countRemovable(wanted: Wanted): Promise<number>
  isRemovable(run: OldRun, wanted: Wanted): Promise<boolean>
  /**
   * Marks the thread of a run as deleted and notes that with the run, both or neither. False when it may not go any more:
   * somebody needs it now, or the agent keeps more than when it was found.
   */
  mark(run: OldRun, wanted: Wanted): Promise<boolean>
}

/** The databases want a limit beside an offset. */
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

async function mark(database: Kysely<Tables>, run: OldRun, wanted: Wanted): Promise<boolean> {
  const keeps = database
    .selectFrom('run_keeps')
    .select('agent_id')
    .where('agent_id', '=', wanted.agent_id)
    .where('keep', '<=', wanted.keep)
  const result = await markDeleted(database.$pickTables<keyof ThreadTables>(), wanted.now)
    .where('id', '=', run.thread_id)
    // Said of the row itself too: where changes come side by side, these are looked at again when it is written.
    .where('is_pinned', '=', 0)
    .where('running_turn_id', 'is', null)
    .where('id', 'in', removable(database, wanted).select('threads.id').where('runs.id', '=', run.id))
    .where(({ exists }) => exists(keeps))
    .executeTakeFirst()
  if (result.numUpdatedRows === 0n) return false
  await database.updateTable('runs').set({ thread_removed_at: wanted.now }).where('id', '=', run.id).execute()
  return true
}

/** Ended runs of an agent with a thread that is there, without those in which nothing may be removed. */
function removable(database: Kysely<Tables>, wanted: Wanted) {
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
      // Somebody moved it to another place than its agent's.
      .where(({ eb, or, and, ref }) =>
        or([
          eb('threads.workspace_id', '=', ref('agents.workspace_id')),
          and([eb('threads.workspace_id', 'is', null), eb('agents.workspace_id', 'is', null)]),
        ]),
      )
      .where((builder) => builder.not(isNeeded(builder, wanted.now)))
  )
}

/** A sandbox says of its last use now and then: what is less after the end of a run may have been the run. */
const useOfRunMs = 60_000

/** Whether a person went on in the thread of a run, used its sandbox or rewound it, or others look at it. */
function isNeeded(builder: ExpressionBuilder<Tables, 'runs' | 'threads'>, now: number) {
  const { or, exists, selectFrom } = builder
  const wentOn = selectFrom('turn_runs')
    .select('turn_runs.id')
    .whereRef('turn_runs.thread_id', '=', 'threads.id')
    .where((turn) =>
      turn.or([
        turn('runs.turn_id', 'is', null),
        turn('turn_runs.id', '!=', turn.ref('runs.turn_id')),
        // Somebody had it tried again.
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
  return or([wentOn, waiting, used, rewind, readers, visitors].map((rows) => exists(rows)))
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
