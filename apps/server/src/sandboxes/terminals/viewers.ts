import type { CredentialCheck } from '../../people/public.ts'
import type { Caller } from '../../platform/http/api.ts'

/** Who looks at a terminal, as it was found out when the view was opened. */
export type Viewer = Caller & { threadId: string }

/** Whether login or key still hold, and the thread is there and still this person's. */
export type MaySee = (viewer: Viewer, now: number) => Promise<boolean>

export function makeMaySee({
  ownerOf,
  holds,
}: {
  ownerOf: (threadId: string) => Promise<string | undefined>
  holds: CredentialCheck
}): MaySee {
  return async (viewer, now) => (await ownerOf(viewer.threadId)) === viewer.userId && (await holds(viewer, now))
}
