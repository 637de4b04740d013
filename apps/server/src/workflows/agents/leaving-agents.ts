import type { LeavingPart } from '../../people/public.ts'
import { nameKey } from '../../threads/public.ts'
import type { AgentDrafts } from './agent-drafts.usecases.ts'
import type { AgentStore } from './agents.store.ts'
import type { EnvironmentStore } from './environments.store.ts'
import type { Environments } from './environments.usecases.ts'

/** Agents of people who leave. One whose name the other person has gets a number. Files that wait for a review stay. */
export function makeLeavingAgents(dependencies: {
  store: AgentStore
  environmentStore: Pick<EnvironmentStore, 'give'>
  environments: Pick<Environments, 'sweep'>
  drafts: Pick<AgentDrafts, 'eraseOf'>
  onChanged(home: { userId: string; workspaceId: null }): Promise<void>
}): LeavingPart {
  const { store, environmentStore, environments, drafts, onChanged } = dependencies
  const of = async (userId: string) => (await store.list([userId])).map(({ agent }) => agent)
  return {
    counts: async (userId) => ({ agents: await store.count(userId) }),
    handOver: async ({ from, to, threadIds }) => {
      if (threadIds !== 'all') return
      const taken = new Set((await of(to)).map(({ name_key }) => name_key))
      for (const { id, name } of await of(from)) {
        const free = freeName(name, taken)
        taken.add(nameKey(free))
        await store.update(id, { owner_id: to, home: to, name: free, name_key: nameKey(free) })
      }
      await store.release(from)
      await environmentStore.give({ from, to })
      await onChanged({ userId: to, workspaceId: null })
    },
    release: store.release,
    erase: async (userId) => {
      for (const { id } of await of(userId)) await store.remove(id)
      await drafts.eraseOf(userId)
      await environments.sweep()
    },
  }
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let count = 2; taken.has(nameKey(free)); count += 1) free = `${name} (${count})`
  return free
}
