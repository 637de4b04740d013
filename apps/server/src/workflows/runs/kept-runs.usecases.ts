import { isErrorOf } from '@threadbox/errors'
import type { KeepRuns, KeptRuns as KeptRunsView } from '@threadbox/protocol/public'
import { turnRunning } from '../../turns/public.ts'
import type { KeptRunStore, OldRun } from './kept-runs.store.ts'
import type { RunDependencies } from './run-dependencies.ts'
import type { RunKeepRow } from './runs.table.ts'

/**
 * Of how many of its newest ended runs an agent keeps the threads. Threads of older ones are removed as if their owner had
 * deleted them; a run stays in the history. Every method throws `agent.not-found`, also for an agent of somebody else.
 */
export type KeptRuns = {
  /** What goes now: with the value that the agent has, or with the one that is asked about. */
  get(userId: string, agentId: string, asked?: number): Promise<KeptRunsView>
  set(userId: string, agentId: string, request: KeepRuns): Promise<KeptRunsView>
  /** Removes what is left over, so much at a time that runs do not wait for it. */
  trim(): Promise<void>
}

/** Threads that one pass removes: some seconds of work at most. */
const perPass = 50
/** Runs wait for a pass, so it does not wait for what others do with threads: the next one finds them again. */
const patienceMs = 1000
const mostBusy = 3
/** Runs that are named before their threads go. */
const named = 5

type KeptRunsDependencies = Pick<RunDependencies, 'threads' | 'turns' | 'logger' | 'onChanged' | 'system'> & {
  keptStore: KeptRunStore
}

export function makeKeptRuns(
  dependencies: KeptRunsDependencies & Pick<RunDependencies, 'agents' | 'audit'> & { nudge: () => void },
): KeptRuns {
  const { keptStore: store, agents, system, audit } = dependencies
  const view = async (agentId: string, { keep, asked }: { keep: number | null; asked: number | null }) => {
    if (asked === null) return { keep, removing: { count: 0, first: [] } }
    const wanted = { agent_id: agentId, keep: asked, now: system.now() }
    const rows = await store.removable(wanted, named)
    const first = rows.map(({ id, title, created_at }) => ({ id, title, createdAt: created_at }))
    return { keep, removing: { count: await store.countRemovable(wanted), first } }
  }
  return {
    get: async (userId, agentId, asked) => {
      await agents.resolve(userId, { agentId, version: null, action: 'read' })
      const keep = await store.keepOf(agentId)
      return await view(agentId, { keep, asked: asked ?? keep })
    },
    set: async (userId, agentId, { keep }) => {
      await agents.resolve(userId, { agentId, version: null, action: 'manage' })
      const answer = await view(agentId, { keep, asked: keep })
      await store.setKeep(agentId, keep)
      const details = { keep, removing: answer.removing.count }
      await audit.record({ userId, action: 'agent-kept-runs-changed', subject: agentId, details })
      dependencies.onChanged(userId, agentId)
      dependencies.nudge()
      return answer
    },
    trim: async () => {
      let [removed, busy] = [0, 0]
      for (const row of await store.limited()) {
        const found = await store.removable({ ...row, now: system.now() }, perPass - removed)
        for (const run of found) {
          const outcome = await remove(dependencies, run, row)
          if (outcome === 'removed') removed += 1
          if (outcome === 'busy') busy += 1
          if (busy === mostBusy) return
        }
        if (removed === perPass) return dependencies.nudge()
      }
    },
  }
}

type Outcome = 'removed' | 'kept' | 'busy'

/** Between messages of the thread: whoever comes first, a person who writes or the rule, has it. */
async function remove(dependencies: KeptRunsDependencies, run: OldRun, row: RunKeepRow): Promise<Outcome> {
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
  using wait = patience(() => {
    if (step === 'waiting') step = 'given-up'
    return step === 'given-up'
  })
  const outcome = await Promise.race([removal, wait.isOver])
  if (outcome !== 'removed') return outcome
  logger.info({ runId: run.id, threadId: run.thread_id }, 'thread of an older run removed')
  dependencies.onChanged(run.user_id, run.agent_id)
  return 'removed'
}

/** Resolves after a second, if who waits gives up then. */
function patience(giveUp: () => boolean): Disposable & { isOver: Promise<'busy'> } {
  const over = Promise.withResolvers<'busy'>()
  const timer = setTimeout(() => giveUp() && over.resolve('busy'), patienceMs)
  return { isOver: over.promise, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** Planned only when it may go, and as late as it is marked: what is planned comes due when the time to undo it is over. */
async function removeQuiet(
  { keptStore, threads, system }: Pick<KeptRunsDependencies, 'keptStore' | 'threads' | 'system'>,
  run: OldRun,
  row: RunKeepRow,
): Promise<Outcome> {
  if (!(await keptStore.isRemovable(run, { ...row, now: system.now() }))) return 'kept'
  const mark = (now: number) => keptStore.mark(run, { ...row, now })
  const details = { rule: 'kept-runs', agentId: run.agent_id, runId: run.id, keep: row.keep }
  return (await threads.deleteByRule(run.thread_id, { mark, details })) ? 'removed' : 'kept'
}
