import type { CredentialCheck } from '../../people/public.ts'
import type { Caller } from '../../platform/http/api.ts'

/** The viewer of a terminal, as established when the view was opened. */
export type Viewer = Caller & { threadId: string }

/** True if the session or key is still valid, and the thread exists and still belongs to this person. */
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
