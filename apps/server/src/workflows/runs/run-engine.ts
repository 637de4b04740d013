import { makeSingleFlight } from '@threadbox/concurrency'
import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import { threadNotFound } from '../../threads/public.ts'
import type { RunDependencies } from './run-dependencies.ts'
import { parseRunNetwork } from './run-network.logic.ts'
import { outcomeOf, reasonFrom } from './run-outcome.logic.ts'
import { runStopped, runThreadGone } from './runs.errors.ts'
import type { RunRow } from './runs.table.ts'

/**
 * Carries out recorded runs. All next steps follow from the record, so that a server resumes a run at the same step
 * after a kill at any point: the thread’s ID and the key of its message are known before either is created.
 */
export type RunEngine = {
  /** Starts queued runs up to the limit and checks running ones. */
  advance(): Promise<void>
  /** Cancels a run. Returns when it has ended, or when nothing more can be done about it here. */
  cancel(row: RunRow): Promise<void>
  /** Resolves when no run is being started here. */
  idle(): Promise<void>
}

/** Waits between attempts after temporary failures; after the last one the run fails. */
const retryDelaysMs = [2000, 5000, 15_000, 60_000, 300_000]

export function makeRunEngine(dependencies: RunDependencies): RunEngine {
  const { store, system, logger } = dependencies
  const starting = makeSingleFlight()
  const launch = (row: RunRow) =>
    starting.join(row.id, () =>
      start(dependencies, row).catch(async (error: unknown) => {
        await retryOrFail(dependencies, { row, error }).catch((again: unknown) => {
          // The record is unchanged: the next pass resumes the run.
          logger.error({ err: again, runId: row.id }, 'end of a run could not be recorded')
        })
      }),
    )
  const resumeRuns = async () => {
    for (const row of await store.running()) {
      if (starting.present(row.id) !== undefined) continue
      if (row.turn_id === null) void launch(row)
      else await settle(dependencies, row)
    }
  }
  const begin = async () => {
    const queued = await store.queued(system.now())
    if (queued.length === 0) return
    const running = await store.running()
    const atWork = new Map<string, number>()
    for (const { user_id } of running) atWork.set(user_id, (atWork.get(user_id) ?? 0) + 1)
    const busy = new Set(running.map(({ trigger_id }) => trigger_id))
    const limits = new Map<string, number>()
    for (const row of queued) {
      const count = atWork.get(row.user_id) ?? 0
      const atOnce = limits.get(row.user_id) ?? (await dependencies.settings.limitOf(row.user_id))
      limits.set(row.user_id, atOnce)
      if (count >= atOnce || (row.is_exclusive === 1 && busy.has(row.trigger_id))) continue
      const start = { threadId: system.newId('thread'), now: system.now() }
      if (!(await store.claim({ id: row.id, userId: row.user_id, atOnce }, start))) continue
      atWork.set(row.user_id, count + 1)
      busy.add(row.trigger_id)
      void launch({ ...row, status: 'running', thread_id: start.threadId, started_at: start.now })
      dependencies.onChanged(row.user_id, row.agent_id)
    }
  }
  return {
    advance: async () => {
      await resumeRuns()
      await begin()
    },
    cancel: async (row) => {
      const end = { status: 'cancelled', reason_json: JSON.stringify(reasonFrom(runStopped({}))) }
      const columns = { ...end, ended_at: system.now(), usage_json: null, output: null }
      if (row.status === 'queued' && (await store.end(row.id, 'queued', columns))) {
        return dependencies.onChanged(row.user_id, row.agent_id)
      }
      await store.change(row.id, { is_cancel_requested: 1 })
      await starting.present(row.id)
      const now = await store.find(row.id)
      if (now?.status === 'running' && now.turn_id !== null) await settle(dependencies, now)
    },
    idle: () => starting.settled(),
  }
}

/** Creates the thread and sends the message. After a crash both are repeated without a second effect. */
async function start(dependencies: RunDependencies, row: RunRow): Promise<void> {
  const { store, agents, turns, threads } = dependencies
  const { threadId } = await agents.startThread({
    agentId: row.agent_id,
    version: row.agent_version,
    ownerId: row.user_id,
    title: row.title,
    threadId: row.thread_id ?? '',
    connectionIdsJson: row.connection_ids_json,
    network: parseRunNetwork(row.network_json),
  })
  if ((await store.find(row.id))?.is_cancel_requested === 1) {
    await threads.delete(row.user_id, threadId)
    return await end(dependencies, row, { status: 'cancelled', reason: reasonFrom(runStopped({})), output: null })
  }
  const message = { text: row.input, attachmentIds: [], key: `run-${row.id}`, approvals: 'deny' as const }
  const { turnId } = await turns.send(threadId, message)
  await store.change(row.id, { thread_id: threadId, turn_id: turnId })
  await settle(dependencies, { ...row, thread_id: threadId, turn_id: turnId })
}

/** Records the end of a run if its turn has ended. */
async function settle(dependencies: RunDependencies, row: RunRow): Promise<void> {
  const { log, turns, store } = dependencies
  const [threadId, turnId] = [row.thread_id ?? '', row.turn_id ?? '']
  if (!(await store.liveThreads([threadId])).has(threadId)) return await lose(dependencies, row)
  const isCancelled = (await store.find(row.id))?.is_cancel_requested === 1
  if (isCancelled) await turns.stop(threadId)
  const turn = await log.turn(threadId, turnId)
  if (turn?.status === 'running') return
  const entries = await log.entriesOfTurn(threadId, turnId)
  if (turn === undefined) {
    // A user sent a message first: the run’s message is queued behind it.
    if (entries.length === 0) await lose(dependencies, row)
    return
  }
  await end(dependencies, row, { ...outcomeOf(turn, entries), usage: turn.usage, endedAt: turn.endedAt })
}

function lose(dependencies: RunDependencies, row: RunRow): Promise<void> {
  return end(dependencies, row, { status: 'failed', reason: reasonFrom(runThreadGone({})), output: null })
}

type End = Pick<ReturnType<typeof outcomeOf>, 'status' | 'reason' | 'output'> & {
  usage?: unknown
  endedAt?: number | null
}

async function end(dependencies: RunDependencies, row: RunRow, how: End): Promise<void> {
  const { store, system, onChanged } = dependencies
  const isMine = await store.end(row.id, 'running', {
    status: how.status,
    reason_json: how.reason === null ? null : JSON.stringify(how.reason),
    ended_at: how.endedAt ?? system.now(),
    usage_json: how.usage == null ? null : JSON.stringify(how.usage),
    output: how.output,
  })
  if (isMine) onChanged(row.user_id, row.agent_id)
}

/** Handles a failed start: retries after temporary failures, with another thread if the first one is incomplete. */
async function retryOrFail(
  dependencies: RunDependencies,
  { row, error }: { row: RunRow; error: unknown },
): Promise<void> {
  const { store, system, logger } = dependencies
  if (isErrorOf(threadNotFound, error)) return await lose(dependencies, row)
  const isUnavailable = isThreadboxError(error) && ['unavailable', 'interrupted'].includes(error.kind)
  const isInterrupted = isThreadboxError(error) && error.code === 'agent.start-interrupted'
  const delayMs = isInterrupted ? 0 : retryDelaysMs[row.attempts]
  if ((isUnavailable || isInterrupted) && delayMs !== undefined) {
    logger.warn({ err: error, runId: row.id }, 'run could not begin, will be tried again')
    return await store.postpone(row.id, system.now() + delayMs)
  }
  if (!isThreadboxError(error)) logger.error({ err: error, runId: row.id }, 'run could not begin')
  await end(dependencies, row, { status: 'failed', reason: reasonFrom(error), output: null })
}
