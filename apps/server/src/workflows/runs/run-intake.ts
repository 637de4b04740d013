import { makeKeyedLock } from '@threadbox/concurrency'
import type { RunReason, RunTrigger } from '@threadbox/protocol/public'
import type { RunDependencies } from './run-dependencies.ts'
import { runQueueFull } from './runs.errors.ts'
import type { RunWriter } from './runs.store.ts'
import type { RunRow } from './runs.table.ts'

export type NewRun = {
  agentId: string
  version: number
  userId: string
  trigger: RunTrigger
  triggerId?: string
  dueAt?: number
  isExclusive?: boolean
  missed?: number
  key?: string | undefined
  title: string
  input: string
  /** Of its schedule or webhook, as a JSON list. */
  connectionIdsJson?: string
  networkJson?: string | null
}

/** Records runs: those that will start and those that never will. */
export type RunIntake = {
  /**
   * Records a queued run in one transaction with `alongside`. If that returns false, nothing is recorded and the result
   * is undefined. Throws `run.queue-full`.
   */
  add(run: NewRun, alongside?: (writer: RunWriter, row: RunRow) => Promise<boolean>): Promise<RunRow | undefined>
  /** Runs `work` while no other run of this user is recorded. */
  exclusively<Value>(userId: string, work: () => Promise<Value>): Promise<Value>
  /** How many runs of one user can be queued. Read before a transaction: the embedded database has one connection. */
  queueLimit(): Promise<number>
  rowOf(run: NewRun): RunRow
  endedRow(run: NewRun, end: { status: 'skipped' | 'failed'; reason: RunReason }): RunRow
}

export function makeRunIntake(dependencies: Pick<RunDependencies, 'store' | 'settings' | 'system'>): RunIntake {
  const { store, system } = dependencies
  const exclusively = makeKeyedLock()
  const rowOf = (run: NewRun) => newRow(run, { id: system.newId('run'), now: system.now() })
  const queueLimit = async () => (await dependencies.settings.values()).runsQueued
  return {
    exclusively,
    queueLimit,
    rowOf,
    endedRow: (run, { status, reason }) => ({
      ...rowOf(run),
      status,
      reason_json: JSON.stringify(reason),
      ended_at: system.now(),
    }),
    add: (run, alongside = async () => true) =>
      exclusively(run.userId, async () => {
        const limit = await queueLimit()
        if ((await store.countQueued(run.userId, store.writer)) >= limit) throw runQueueFull({ limit })
        const row = rowOf(run)
        return await store.transaction(async (writer) => {
          if (!(await alongside(writer, row))) return undefined
          await store.insert(row, writer)
          return row
        })
      }),
  }
}

function newRow(run: NewRun, made: { id: string; now: number }): RunRow {
  return {
    id: made.id,
    agent_id: run.agentId,
    agent_version: run.version,
    user_id: run.userId,
    trigger: run.trigger,
    trigger_id: run.triggerId ?? null,
    due_at: run.dueAt ?? null,
    is_exclusive: run.isExclusive === true ? 1 : 0,
    missed: run.missed ?? 0,
    request_key: run.key ?? null,
    title: run.title,
    input: run.input,
    status: 'queued',
    reason_json: null,
    thread_id: null,
    turn_id: null,
    is_cancel_requested: 0,
    attempts: 0,
    not_before: 0,
    created_at: made.now,
    started_at: null,
    ended_at: null,
    usage_json: null,
    output: null,
    end_order: 0,
    thread_removed_at: null,
    connection_ids_json: run.connectionIdsJson ?? null,
    network_json: run.networkJson ?? null,
  }
}
