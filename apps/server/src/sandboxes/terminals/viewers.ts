import type { CredentialCheck } from '../../people/public.ts'
import type { Caller } from '../../platform/http/caller.ts'
import { type Access, type AccessSubject, isWithinReach } from '../../threads/public.ts'

/** The viewer of a terminal, as established when the view was opened. */
export type Viewer = Caller & { threadId: string }

export type ViewersThreads = {
  access: Pick<Access, 'roleMay'>
  /** Where a thread is; undefined if it is gone. */
  subjectOf(threadId: string): Promise<AccessSubject | undefined>
}

/** True if the session or key is still valid, and the thread exists, is within the key’s reach, and this person can work in it. */
export type MaySee = (viewer: Viewer, now: number) => Promise<boolean>

export function makeMaySee({ access, subjectOf, holds }: ViewersThreads & { holds: CredentialCheck }): MaySee {
  return async (viewer, now) => {
    const subject = await subjectOf(viewer.threadId)
    if (subject === undefined || !isWithinReach(viewer.workspaceIds, subject.workspaceId)) return false
    return (await access.roleMay(viewer.userId, 'work', subject)) && (await holds(viewer, now))
  }
}
