import { Code, ConnectError } from '@connectrpc/connect'
import { followWhile, makeBackground, makeKeyedLock, pLimit, waitAtMost } from '@threadbox/concurrency'
import type { git } from '@threadbox/protocol/guest'
import { followsChanges } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import type { GitRelay } from './git-relay.ts'
import type { UsableCredentials } from './usable-credentials.ts'

type Reached = Pick<ReachableSandbox, 'sandboxId' | 'bootId' | 'git'>

/**
 * Follows the guests of awake sandboxes whose threads can use a credential, and passes their git requests to the relay.
 */
export type GitFollow = {
  /**
   * Gives the guest the current sites, so that programs started from now on reach the servers that the thread has
   * credentials for. Sends nothing if nothing has changed. A guest that cannot be reached does not make the sandbox
   * unusable: the problem is logged.
   */
  deliver(threadId: string, sandbox: Reached): Promise<void>
  /** Call it when the state of this thread’s sandbox has changed. */
  sandboxChanged(threadId: string): void
  /**
   * Call it when credentials or their grants may have changed. Updates awake sandboxes in the background, and ends
   * requests whose credential is no longer allowed.
   */
  refresh(): void
  stop(): Promise<void>
}

export type GitFollowDependencies = {
  usable: UsableCredentials
  relay: Pick<GitRelay, 'pass' | 'recheck'>
  ifAwake(threadId: string): Promise<Reached | undefined>
  /** Threads whose sandbox is awake, as far as the server knows. */
  awakeThreads(): Promise<string[]>
  logger: Logger
}

/** Pause before the server reconnects to a guest whose stream broke. */
const againMs = 1_000
/** Longest time that a use of a sandbox waits until its guest has the sites. */
const readyMs = 5_000

/** A guest has fewer requests open. A compromised guest can announce any number. */
const maxUnderWay = 64
/** The ID becomes part of a path. */
const idPattern = /^[0-9a-f-]{36}$/

type Site = { name: string; address: string }
/** What the guest of one boot was last sent, and at which change count. */
type Following = {
  boot: { id: string; ended: AbortController }
  state: number
  key: string
  /** Ends this stream, but not the requests announced on it. */
  left: AbortController
  ready: PromiseWithResolvers<void>
  work: Promise<void>
}

export function makeGitFollow(dependencies: GitFollowDependencies): GitFollow {
  const { usable, logger } = dependencies
  const following = new Map<string, Following>()
  const inOrder = makeKeyedLock()
  const stopped = new AbortController()
  const background = makeBackground<{ threadId: string }>((error, { threadId }) =>
    logger.warn({ err: error, threadId }, 'git of a sandbox is not followed'),
  )
  let state = 0

  const unfollow = (threadId: string) => {
    const present = following.get(threadId)
    present?.boot.ended.abort()
    present?.left.abort()
    following.delete(threadId)
  }
  /** Returns the stream with the current sites, and opens one if it is missing or outdated. */
  const ensureFollowed = async (threadId: string, sandbox: Reached): Promise<Following | undefined> => {
    const before = following.get(threadId)
    if (before?.boot.id === sandbox.bootId && before.state === state) return before
    const now = state
    const sites = sitesOf(await usable(threadId))
    const key = JSON.stringify(sites)
    if (stopped.signal.aborted) return undefined
    if (before?.boot.id === sandbox.bootId && before.key === key) {
      before.state = now
      return before
    }
    const isSameBoot = before?.boot.id === sandbox.bootId
    if (!isSameBoot) unfollow(threadId)
    const begun: Following = {
      boot: isSameBoot ? before.boot : { id: sandbox.bootId, ended: new AbortController() },
      state: now,
      key,
      left: new AbortController(),
      ready: Promise.withResolvers<void>(),
      work: Promise.resolve(),
    }
    following.set(threadId, begun)
    const keep = (work: Promise<void>) => void background.keep(work, { threadId })
    begun.work = followBoot(dependencies, { threadId, sandbox, sites, following: begun, stopped: stopped.signal, keep })
    keep(begun.work)
    // The guest ends the older stream when it has the newer one. Requests announced on the older one continue.
    if (isSameBoot) void begun.ready.promise.then(() => before.left.abort())
    return begun
  }
  const refreshThread = (threadId: string) => {
    const refreshed = inOrder(threadId, async () => {
      const sandbox = await dependencies.ifAwake(threadId)
      if (sandbox === undefined) unfollow(threadId)
      else await ensureFollowed(threadId, sandbox)
    })
    void background.keep(refreshed, { threadId })
  }

  return {
    deliver: async (threadId, sandbox) => {
      const present = following.get(threadId)
      const isKnown = present?.boot.id === sandbox.bootId && present.state === state
      const begun = isKnown
        ? present
        : await inOrder(threadId, () => ensureFollowed(threadId, sandbox)).catch((error: unknown) => {
            logger.warn({ err: error, threadId }, 'git of a sandbox is not followed')
            return undefined
          })
      // Without sites there is nothing to wait for.
      if (begun === undefined || begun.key === noSites) return
      await waitAtMost(readyMs, { work: begun.ready.promise, signal: stopped.signal })
    },
    sandboxChanged: refreshThread,
    refresh: () => {
      state += 1
      void background.keep(dependencies.relay.recheck(), { threadId: 'all' })
      const refreshAll = async () => (await dependencies.awakeThreads()).forEach(refreshThread)
      void background.keep(refreshAll(), { threadId: 'all' })
    },
    stop: async () => {
      stopped.abort()
      for (const threadId of [...following.keys()]) unfollow(threadId)
      await background.settled()
    },
  }
}

const noSites = JSON.stringify([])

function sitesOf(credentials: Awaited<ReturnType<UsableCredentials>>): Site[] {
  const sites = new Map(credentials.map(({ site, address }) => [site, { name: site, address: `${address}/` }]))
  return [...sites.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Runs until the boot ends or another stream replaces this one. */
async function followBoot(
  dependencies: GitFollowDependencies,
  followed: {
    threadId: string
    sandbox: Reached
    sites: Site[]
    following: Following
    stopped: AbortSignal
    keep: (work: Promise<void>) => void
  },
): Promise<void> {
  const { threadId, sandbox, sites, following } = followed
  const { logger } = dependencies
  const { boot, left } = following
  const signal = AbortSignal.any([left.signal, followed.stopped])
  const pass = (request: git.GitRequest) => {
    const { id, method, target, headers } = request
    const waiting = { threadId, sandbox, id, method, target, headers, signal: boot.ended.signal }
    return dependencies.relay
      .pass(waiting)
      .catch((error: unknown) => logger.debug({ err: error, threadId }, 'a git request was not answered'))
  }
  const limit = pLimit(maxUnderWay)
  await followWhile({
    signal,
    connect: async () => sandbox.git.followGit({ sites }, { signal, headers: followsChanges }),
    onEvent: async ({ event }) => {
      if (event.case === 'ready') following.ready.resolve()
      if (event.case !== 'request' || !idPattern.test(event.value.id)) return
      // Reads no further while the limit is reached, so that a guest that announces without end has to wait.
      const begun = Promise.withResolvers<void>()
      followed.keep(
        limit(() => {
          begun.resolve()
          return pass(event.value)
        }),
      )
      await begun.promise
    },
    pauseMs: againMs,
    // Without a site there is nothing to follow. A guest restored from an older memory image does not know the call.
    isFinal: (error) =>
      error === undefined ? sites.length === 0 : error instanceof ConnectError && error.code === Code.Unimplemented,
    onBroken: (error) => logger.debug({ err: error, threadId }, 'guest of a sandbox was lost'),
  })
  following.ready.resolve()
}
