import type { UserEvent } from '@threadbox/protocol/public'
import type { UserHub } from '../../people/public.ts'
import type { WorkspaceStore } from './workspaces.store.ts'

/** The owner of something: a workspace, otherwise a user. */
export type Home = { userId: string; workspaceId: string | null }

/** Publishes the event to the workspace's members, or to the user. */
export async function notifyMembers(
  { workspaceStore, userHub }: { workspaceStore: Pick<WorkspaceStore, 'memberIds'>; userHub: Pick<UserHub, 'publish'> },
  { home, event }: { home: Home; event: UserEvent },
): Promise<void> {
  const { userId, workspaceId } = home
  const people = workspaceId === null ? [userId] : await workspaceStore.memberIds(workspaceId)
  for (const person of people) userHub.publish(person, event)
}
