import { waitAtMost } from '@threadbox/concurrency'
import { isErrorOf } from '@threadbox/errors'
import { turnRunning } from '../../turns/public.ts'
import type { KeptRunStore, OldRun } from './kept-runs.store.ts'
import type { RunDependencies } from './run-dependencies.ts'
import type { RunKeepRow } from './runs.table.ts'

/** Threads that one pass removes: some seconds of work at most. */
const perPass = 50
/** Runs wait for a pass, so it does not wait for what others do with threads: the next one finds them again. */
const patienceMs = 1000
const mostBusy = 3

type TrimDependencies = Pick<RunDependencies, 'threads' | 'turns' | 'logger' | 'onChanged' | 'system'> & {
  keptStore: KeptRunStore
}

/**
 * Removes threads of runs that are left over, so many at a time that runs do not wait for it. True: more may be left, and
 * nothing keeps them from being removed now.
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

/** Between messages of the thread: whoever comes first, a person who writes or the rule, has it. */
async function remove(dependencies: TrimDependencies, run: OldRun, row: RunKeepRow): Promise<Outcome> {
  const { logger } = dependencies
  let step: 'waiting' | 'working' | 'given-up' = 'waiting'
  const work = async (): Promise<Outcome> => {
    if (step === 'given-up') return 'busy'
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
  if ((await waitAtMost(patienceMs, { work: removal })) === 'late' && step === 'waiting') {
    step = 'given-up'
    return 'busy'
  }
  const outcome = await removal
  if (outcome !== 'removed') return outcome
  logger.info({ runId: run.id, threadId: run.thread_id }, 'thread of an older run removed')
  dependencies.onChanged(run.user_id, run.agent_id)
  return 'removed'
}

/** Planned only when it may go, and as late as it is marked: what is planned comes due when the time to undo it is over. */
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
