import { effectiveSkills } from './skills.presenter.ts'
import type { SkillStore } from './skills.store.ts'
import type { SkillRow } from './skills.table.ts'

/** The thread's owner and workspace, and the ids of the skills that it uses; null or undefined: all available ones. */
export type SkillScope = { userId: string; workspaceId: string | null; only?: readonly string[] | null }

/** The skills of a thread's agent. */
export async function skillsOfThread(store: Pick<SkillStore, 'list'>, thread: SkillScope): Promise<SkillRow[]> {
  const { userId, workspaceId, only = null } = thread
  const rows = await store.list(workspaceId === null ? [userId] : [userId, workspaceId])
  return effectiveSkills(only === null ? rows : rows.filter(({ id }) => only.includes(id)))
}
