import type { LeavingPart } from '../../people/public.ts'
import type { SkillStore } from './skills.store.ts'

/** Skills of people who leave. Of two with the same name, the other person keeps their own. */
export function makeLeavingSkills(dependencies: {
  store: SkillStore
  erase(skillId: string): Promise<void>
  onChanged(home: { userId: string; workspaceId: null }): Promise<void>
}): LeavingPart {
  const { store, erase, onChanged } = dependencies
  return {
    counts: async (userId) => ({ skills: await store.count(userId) }),
    handOver: async ({ from, to, threadIds }) => {
      if (threadIds !== 'all') return
      const taken = new Set((await store.list([to])).map(({ name }) => name))
      for (const { id, name } of await store.list([from])) {
        if (!taken.has(name)) await store.update(id, { owner_id: to, home: to })
      }
      await onChanged({ userId: to, workspaceId: null })
    },
    release: store.release,
    erase: async (userId) => {
      for (const { id } of await store.list([userId])) await erase(id)
    },
  }
}
