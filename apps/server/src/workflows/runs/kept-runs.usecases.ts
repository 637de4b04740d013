import type { KeepRuns, KeptRuns as KeptRunsView } from '@threadbox/protocol/public'
import type { KeptRunStore } from './kept-runs.store.ts'
import type { RunDependencies } from './run-dependencies.ts'

/**
 * Of how many of its newest ended runs an agent keeps the threads. Threads of older ones are removed as if their owner had
 * deleted them; a run stays in the history. Every method throws `agent.not-found`, also for an agent of somebody else.
 */
export type KeptRuns = {
  /** What goes now: with the value that the agent has, or with the one that is asked about. */
  get(userId: string, agentId: string, asked?: number): Promise<KeptRunsView>
  set(userId: string, agentId: string, request: KeepRuns): Promise<KeptRunsView>
}

/** Runs that are named before their threads go. */
const named = 5

type KeptRunsDependencies = Pick<RunDependencies, 'agents' | 'audit' | 'onChanged' | 'system'> & {
  keptStore: KeptRunStore
  /** Threads may be left over. */
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
      await agents.resolve(userId, { agentId, version: null, action: 'manage' })
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
