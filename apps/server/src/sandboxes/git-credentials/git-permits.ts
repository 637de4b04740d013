import { gitPermitRevoked, gitPushRefused } from './git-credentials.errors.ts'
import { chooseCredential, type GitTarget } from './git-target.logic.ts'
import type { UsableCredential, UsableCredentials } from './usable-credentials.ts'

type PermitRequest = { threadId: string; target: GitTarget; over: AbortController }
type ActivePermit = PermitRequest & { credentialId: string }

/** Which credential a git request uses. It can be revoked until the permit is disposed of. */
export type GitPermit = Disposable & {
  credential: UsableCredential | undefined
  /** Address of the server if the thread has a credential for another repository of it. */
  address: string | undefined
}

/** Decides which credential a git request can use, for as long as the request runs. */
export type GitPermits = {
  /**
   * Returns the permit under the current grants. Aborts `over` with the reason if a later change revokes it. Throws
   * `git-credential.push-refused`.
   */
  acquire(request: PermitRequest): Promise<GitPermit>
  /**
   * Checks active requests against the current grants, and ends those that are now refused or need another credential.
   */
  recheck(): Promise<void>
}

export function makeGitPermits(usable: UsableCredentials): GitPermits {
  const active = new Set<ActivePermit>()
  let changes = 0
  const acquire = async (request: PermitRequest): Promise<GitPermit> => {
    const { threadId, target } = request
    const before = changes
    const ofSite = ofSiteOf(target, await usable(threadId))
    // The credentials may have been read before the change, and the recheck did not see this request yet.
    if (before !== changes) return await acquire(request)
    const credential = chooseCredential(ofSite, target.repository)
    if (credential !== undefined && !mayPush(credential, target)) throw gitPushRefused(namesOf(target))
    const one = credential && { ...request, credentialId: credential.id }
    if (one !== undefined) active.add(one)
    const leave = () => void (one !== undefined && active.delete(one))
    return { credential, address: ofSite[0]?.address, [Symbol.dispose]: leave }
  }
  const recheckThread = async (threadId: string) => {
    const ofThread = [...active].filter((one) => one.threadId === threadId)
    try {
      const now = await usable(threadId)
      for (const one of ofThread) if (!isStillAllowed(one, now)) one.over.abort(gitPermitRevoked(namesOf(one.target)))
    } catch (error) {
      // Whether it is still allowed is unknown, so it is not.
      for (const one of ofThread) one.over.abort(error)
    }
  }
  return {
    acquire,
    recheck: async () => {
      changes += 1
      await Promise.all([...new Set([...active].map(({ threadId }) => threadId))].map(recheckThread))
    },
  }
}

function isStillAllowed({ target, credentialId }: ActivePermit, rows: readonly UsableCredential[]): boolean {
  const credential = chooseCredential(ofSiteOf(target, rows), target.repository)
  return credential?.id === credentialId && mayPush(credential, target)
}

function ofSiteOf(target: GitTarget, rows: readonly UsableCredential[]): UsableCredential[] {
  return rows.filter(({ site }) => site === target.site)
}

function mayPush({ access }: UsableCredential, { service }: GitTarget): boolean {
  return service !== 'receive-pack' || access === 'push'
}

function namesOf({ repository, site }: GitTarget): { repository: string; host: string } {
  return { repository, host: site }
}
