import type { KeepRuns, KeptRuns as KeptRunsView } from '@threadbox/protocol/public'
import type { KeptRunStore } from './kept-runs.store.ts'
import type { RunDependencies } from './run-dependencies.ts'

/**
 * How many of its newest ended runs an agent keeps the threads of. Older threads are deleted as if their owner had
 * deleted them; the runs stay in the history. Every method throws `agent.not-found`, also for another user’s agent.
 */
export type KeptRuns = {
  /** What would be deleted now, with the agent’s value or with `asked`. */
  get(userId: string, agentId: string, asked?: number): Promise<KeptRunsView>
  set(userId: string, agentId: string, request: KeepRuns): Promise<KeptRunsView>
}

/** How many runs are named in the preview of a deletion. */
const named = 5

type KeptRunsDependencies = Pick<RunDependencies, 'agents' | 'audit' | 'onChanged' | 'system'> & {
  keptStore: KeptRunStore
  /** Called when there may be surplus threads. */
  nudge: () => void
}

export function makeKeptRuns(dependencies: KeptRunsDependencies): KeptRuns {
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
      await agents.resolve(userId, { agentId, version: null, action: 'change' })
      const answer = await view(agentId, { keep, asked: keep })
      await store.setKeep(agentId, keep)
      const details = { keep, removing: answer.removing.count }
      await audit.record({ userId, action: 'agent-kept-runs-changed', subject: agentId, details })
      dependencies.onChanged(userId, agentId)
      dependencies.nudge()
      return answer
    },
  }
}
