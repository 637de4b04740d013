import type { CredentialCheck } from '../../people/public.ts'
import type { Caller } from '../../platform/http/api.ts'
import { isWithinReach } from '../../threads/public.ts'

/** The viewer of a terminal, as established when the view was opened. */
export type Viewer = Caller & { threadId: string }

/** The owner and workspace of a thread; undefined if it is gone. */
export type PlaceOf = (threadId: string) => Promise<{ ownerId: string; workspaceId: string | null } | undefined>

/** True if the session or key is still valid, and the thread exists still belongs to this person and is within the key’s reach. */
export type MaySee = (viewer: Viewer, now: number) => Promise<boolean>

export function makeMaySee({ placeOf, holds }: { placeOf: PlaceOf; holds: CredentialCheck }): MaySee {
  return async (viewer, now) => {
    const place = await placeOf(viewer.threadId)
    if (place?.ownerId !== viewer.userId || !isWithinReach(viewer.workspaceIds, place.workspaceId)) return false
    return await holds(viewer, now)
  }
}
