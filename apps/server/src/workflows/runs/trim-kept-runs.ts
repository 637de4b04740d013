import { waitAtMost } from '@threadbox/concurrency'
import { isErrorOf } from '@threadbox/errors'
import { turnRunning } from '../../turns/public.ts'
import type { KeptRunStore, OldRun } from './kept-runs.store.ts'
import type { RunDependencies } from './run-dependencies.ts'
import type { RunKeepRow } from './runs.table.ts'

/** How many threads one pass deletes: a few seconds of work at most. */
const perPass = 50
/** How long a pass waits for a busy thread, because runs wait for the pass. The next pass finds the thread again. */
const maxWaitMs = 1000
const mostBusy = 3

type TrimDependencies = Pick<RunDependencies, 'threads' | 'turns' | 'logger' | 'onChanged' | 'system'> & {
  keptStore: KeptRunStore
}

/**
 * Deletes surplus threads of runs, in batches so that runs do not wait long. True if more may be left that can be
 * deleted now.
 */
export async function trimKeptRuns(dependencies: TrimDependencies): Promise<boolean> {
  const { keptStore: store, system } = dependencies
  let [removed, busy] = [0, 0]
  for (const row of await store.limited()) {
    const found = await store.removable({ ...row, now: system.now() }, perPass - removed)
    for (const run of found) {
      const outcome = await remove(dependencies, run, row)
      if (outcome === 'removed') removed += 1
      if (outcome === 'busy') busy += 1
      if (busy === mostBusy) return false
    }
    if (removed === perPass) return true
  }
  return false
}

type Outcome = 'removed' | 'kept' | 'busy'

/** Deletes the thread between its turns: either a message or the deletion comes first. */
async function remove(dependencies: TrimDependencies, run: OldRun, row: RunKeepRow): Promise<Outcome> {
  const { logger } = dependencies
  let step: 'waiting' | 'working' | 'canceled' = 'waiting'
  const work = async (): Promise<Outcome> => {
    if (step === 'canceled') return 'busy'
    step = 'working'
    return await removeQuiet(dependencies, run, row)
  }
  const removal = dependencies.turns
    .whileQuiet(run.thread_id, { work, refusal: () => turnRunning({}) })
    .catch((error: unknown): Outcome => {
      if (isErrorOf(turnRunning, error)) return 'kept'
      logger.error({ err: error, threadId: run.thread_id }, 'thread of an older run not removed, will be tried again')
      return 'busy'
    })
  if ((await waitAtMost(maxWaitMs, { work: removal })) === 'late' && step === 'waiting') {
    step = 'canceled'
    return 'busy'
  }
  const outcome = await removal
  if (outcome !== 'removed') return outcome
  logger.info({ runId: run.id, threadId: run.thread_id }, 'thread of an older run removed')
  dependencies.onChanged(run.user_id, run.agent_id)
  return 'removed'
}

/**
 * Plans the deletion only if it is still allowed, directly before the mark: the planned deletion is due when the time
 * for undo has passed.
 */
async function removeQuiet(
  { keptStore, threads, system }: Pick<TrimDependencies, 'keptStore' | 'threads' | 'system'>,
  run: OldRun,
  row: RunKeepRow,
): Promise<Outcome> {
  if (!(await keptStore.isRemovable(run, { ...row, now: system.now() }))) return 'kept'
  const mark = (now: number) => keptStore.mark(run, { ...row, now })
  const details = { rule: 'kept-runs', agentId: run.agent_id, runId: run.id, keep: row.keep }
  return (await threads.deleteByRule(run.thread_id, { mark, details })) ? 'removed' : 'kept'
}
