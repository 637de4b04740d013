import { Code, ConnectError } from '@connectrpc/connect'
import { followWhile, makeBackground, makeKeyedLock, pLimit, waitAtMost } from '@threadbox/concurrency'
import type { git } from '@threadbox/protocol/guest'
import type { Logger } from '@threadbox/telemetry'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import type { GitRelay } from './git-relay.ts'
import type { UsableCredentials } from './usable-credentials.ts'

type Reached = Pick<ReachableSandbox, 'sandboxId' | 'bootId' | 'git'>

/** Follows the guests of awake sandboxes whose threads may use a credential, and brings git there its answers. */
export type GitFollow = {
  /**
   * Programs that are started now reach the servers that the thread has credentials for. Asks nobody while nothing has
   * changed; a sandbox that cannot be told now is usable all the same.
   */
  deliver(threadId: string, sandbox: Reached): Promise<void>
  /** The sandbox of this thread is in another state. */
  sandboxChanged(threadId: string): void
  /**
   * Credentials, or who may use them, may have changed: sandboxes that are awake are told in the background, and what was
   * asked with a credential that was taken back ends.
   */
  refresh(): void
  stop(): Promise<void>
}

export type GitFollowDependencies = {
  usable: UsableCredentials
  relay: Pick<GitRelay, 'pass' | 'judgeAgain'>
  ifAwake(threadId: string): Promise<Reached | undefined>
  /** Threads whose sandbox is awake, as far as is known here. */
  awakeThreads(): Promise<string[]>
  logger: Logger
}

/** Wait before a guest is asked again whose stream broke off. */
const againMs = 1_000
/** How long the use of a sandbox waits for its guest to know of credentials. */
const readyMs = 5_000

/** A guest has fewer of them open; one that was taken over by what runs in its sandbox may say anything. */
const maxUnderWay = 64
/** It becomes a part of a path. */
const idPattern = /^[0-9a-f-]{36}$/

type Site = { name: string; address: string }
/** What the guest of one boot was told of, and in which state of all credentials that was. */
type Following = {
  boot: { id: string; ended: AbortController }
  state: number
  key: string
  /** Ends this stream, and not what was announced on it. */
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

  const leave = (threadId: string) => {
    const present = following.get(threadId)
    present?.boot.ended.abort()
    present?.left.abort()
    following.delete(threadId)
  }
  /** The stream of the sandbox as it is to be now. */
  const bring = async (threadId: string, sandbox: Reached): Promise<Following | undefined> => {
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
    if (!isSameBoot) leave(threadId)
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
    // The guest ends the older stream itself as soon as it has the newer one: what it was told of there is under way.
    if (isSameBoot) void begun.ready.promise.then(() => before.left.abort())
    return begun
  }
  const look = (threadId: string) => {
    const looked = inOrder(threadId, async () => {
      const sandbox = await dependencies.ifAwake(threadId)
      if (sandbox === undefined) leave(threadId)
      else await bring(threadId, sandbox)
    })
    void background.keep(looked, { threadId })
  }

  return {
    deliver: async (threadId, sandbox) => {
      const present = following.get(threadId)
      const isKnown = present?.boot.id === sandbox.bootId && present.state === state
      const begun = isKnown
        ? present
        : await inOrder(threadId, () => bring(threadId, sandbox)).catch((error: unknown) => {
            logger.warn({ err: error, threadId }, 'git of a sandbox is not followed')
            return undefined
          })
      // Nobody waits for the news that there is nothing.
      if (begun === undefined || begun.key === noSites) return
      await waitAtMost(readyMs, { work: begun.ready.promise, signal: stopped.signal })
    },
    sandboxChanged: look,
    refresh: () => {
      state += 1
      void background.keep(dependencies.relay.judgeAgain(), { threadId: 'all' })
      const lookAtAll = async () => (await dependencies.awakeThreads()).forEach(look)
      void background.keep(lookAtAll(), { threadId: 'all' })
    },
    stop: async () => {
      stopped.abort()
      for (const threadId of [...following.keys()]) leave(threadId)
      await background.settled()
    },
  }
}

const noSites = JSON.stringify([])

function sitesOf(credentials: Awaited<ReturnType<UsableCredentials>>): Site[] {
  const sites = new Map(credentials.map(({ site, address }) => [site, { name: site, address: `${address}/` }]))
  return [...sites.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Until the boot is over, or another stream has taken the place of this one. */
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
      .catch((error: unknown) => logger.debug({ err: error, threadId }, 'git was not answered'))
  }
  const limit = pLimit(maxUnderWay)
  await followWhile({
    signal,
    connect: async () => sandbox.git.followGit({ sites }, { signal }),
    onEvent: async ({ event }) => {
      if (event.case === 'ready') following.ready.resolve()
      if (event.case !== 'request' || !idPattern.test(event.value.id)) return
      // Nothing more is read while so many are under way: whoever announces without end waits.
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
    // Without a site there is nothing to follow. A guest that was woken out of an older memory does not know the call.
    isFinal: (error) =>
      error === undefined ? sites.length === 0 : error instanceof ConnectError && error.code === Code.Unimplemented,
    onBroken: (error) => logger.debug({ err: error, threadId }, 'guest of a sandbox was lost'),
  })
  following.ready.resolve()
}
