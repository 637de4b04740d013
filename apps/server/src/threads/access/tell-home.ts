import type { UserEvent } from '@threadbox/protocol/public'
import type { UserHub } from '../../people/public.ts'
import type { WorkspaceStore } from './workspaces.store.ts'

/** Where something belongs: to a workspace, else to a person. */
export type Home = { userId: string; workspaceId: string | null }

/** Tells everybody who has a part in it. */
export async function tellHome(
  { workspaceStore, userHub }: { workspaceStore: Pick<WorkspaceStore, 'memberIds'>; userHub: Pick<UserHub, 'publish'> },
  { home, event }: { home: Home; event: UserEvent },
): Promise<void> {
  const { userId, workspaceId } = home
  const people = workspaceId === null ? [userId] : await workspaceStore.memberIds(workspaceId)
  for (const person of people) userHub.publish(person, event)
}
