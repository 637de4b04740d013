import { gitPushRefused, gitTakenBack } from './git-credentials.errors.ts'
import { chosen, type GitTarget } from './git-target.models.ts'
import type { UsableCredential, UsableCredentials } from './usable-credentials.ts'

type Asked = { threadId: string; target: GitTarget; over: AbortController }
type UnderWay = Asked & { credentialId: string }

/** With which credential a request of git is made. Until it is disposed of, it may be taken back. */
export type GitPermit = Disposable & {
  credential: UsableCredential | undefined
  /** Of the server, where a credential for another repository of it is known. */
  address: string | undefined
}

/** Who may ask what with which credential, for as long as it is asked. */
export type GitPermits = {
  /** As it is at this moment. `over` is aborted, with the reason, when it is so no more. Throws `git-credential.push-refused`. */
  judge(asked: Asked): Promise<GitPermit>
  /** Judges what is under way anew, and ends what would be refused now or be asked with another credential. */
  judgeAgain(): Promise<void>
}

export function makeGitPermits(usable: UsableCredentials): GitPermits {
  const underWay = new Set<UnderWay>()
  let changes = 0
  const judge = async (asked: Asked): Promise<GitPermit> => {
    const { threadId, target } = asked
    const before = changes
    const ofSite = ofSiteOf(target, await usable(threadId))
    // What was read may be older than the change, which did not find this request under way.
    if (before !== changes) return await judge(asked)
    const credential = chosen(ofSite, target.repository)
    if (credential !== undefined && !mayPush(credential, target)) throw gitPushRefused(namesOf(target))
    const one = credential && { ...asked, credentialId: credential.id }
    if (one !== undefined) underWay.add(one)
    const leave = () => void (one !== undefined && underWay.delete(one))
    return { credential, address: ofSite[0]?.address, [Symbol.dispose]: leave }
  }
  const judgeThread = async (threadId: string) => {
    const ofThread = [...underWay].filter((one) => one.threadId === threadId)
    try {
      const now = await usable(threadId)
      for (const one of ofThread) if (!isStillAllowed(one, now)) one.over.abort(gitTakenBack(namesOf(one.target)))
    } catch (error) {
      // Nobody knows whether it is allowed, so it is not.
      for (const one of ofThread) one.over.abort(error)
    }
  }
  return {
    judge,
    judgeAgain: async () => {
      changes += 1
      await Promise.all([...new Set([...underWay].map(({ threadId }) => threadId))].map(judgeThread))
    },
  }
}

function isStillAllowed({ target, credentialId }: UnderWay, rows: readonly UsableCredential[]): boolean {
  const credential = chosen(ofSiteOf(target, rows), target.repository)
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
