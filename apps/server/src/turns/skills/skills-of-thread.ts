import { inForce } from './skills.presenter.ts'
import type { SkillStore } from './skills.store.ts'
import type { SkillRow } from './skills.table.ts'

/** Where a thread is, and which skills it has of those that are there; null or none: all of them. */
export type SkillPlace = { userId: string; workspaceId: string | null; only?: readonly string[] | null }

/** What the agent of a thread has. */
export async function skillsOfThread(store: Pick<SkillStore, 'list'>, thread: SkillPlace): Promise<SkillRow[]> {
  const { userId, workspaceId, only = null } = thread
  const rows = await store.list(workspaceId === null ? [userId] : [userId, workspaceId])
  return inForce(only === null ? rows : rows.filter(({ id }) => only.includes(id)))
}
