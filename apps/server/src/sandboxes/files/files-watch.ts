import { waitAtMost } from '@threadbox/concurrency'
import { followsChanges } from '@threadbox/protocol/host'
import type { UserEvent } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { AwakeSandbox } from '../state/sandbox-access.ts'

/**
 * Follows the folders that open pages show, and notifies their people of changes. Wakes no sandbox and keeps none
 * awake.
 */
export type FilesWatch = {
  /**
   * Resolves when the folders are followed, or if the sandbox sleeps. A folder is dropped a minute after the last call.
   */
  watch(request: { userId: string; threadId: string; paths: readonly string[] }): Promise<void>
  stop(): Promise<void>
}

/** How long a call counts; pages renew it twice in that time. */
const leaseMs = 60_000
/** Successive changes within this time are sent once. */
const quietMs = 400
/** Limit of folders per person and thread, over all pages. */
const maxFollowed = 64

type Followed = {
  threadId: string
  path: string
  /** The people to notify, and until when. */
  leases: Map<string, number>
  ended: AbortController
  started: Promise<void>
  work: Promise<void>
}

type Dependencies = {
  ifAwake: (threadId: string) => Promise<AwakeSandbox | undefined>
  publish: (userId: string, event: UserEvent) => void
  now: () => number
  logger: Logger
}

export function makeFilesWatch(dependencies: Dependencies): FilesWatch {
  const followed = new Map<string, Followed>()
  const stopped = new AbortController()

  const begin = (key: string, threadId: string, path: string) => {
    const started = Promise.withResolvers<void>()
    const ended = new AbortController()
    const one: Followed = {
      threadId,
      path,
      leases: new Map(),
      ended,
      started: started.promise,
      work: Promise.resolve(),
    }
    const signal = AbortSignal.any([ended.signal, stopped.signal])
    one.work = follow(dependencies, { one, signal, onStarted: started.resolve })
      .catch((error: unknown) => {
        if (!signal.aborted) dependencies.logger.debug({ err: error, threadId }, 'a folder is not followed')
      })
      .finally(() => {
        started.resolve()
        if (followed.get(key) === one) followed.delete(key)
      })
    followed.set(key, one)
    return one
  }
  const forgetOldest = (userId: string, threadId: string) => {
    const own = [...followed.values()].filter((one) => one.threadId === threadId && one.leases.has(userId))
    own.sort((one, other) => (one.leases.get(userId) ?? 0) - (other.leases.get(userId) ?? 0))
    for (const one of own.slice(0, Math.max(0, own.length - maxFollowed))) {
      one.leases.delete(userId)
      if (one.leases.size === 0) one.ended.abort()
    }
  }
  return {
    watch: async ({ userId, threadId, paths }) => {
      if (stopped.signal.aborted) return
      const wanted = [...new Set(paths)].map((path) => {
        const key = `${threadId} ${path}`
        const one = followed.get(key) ?? begin(key, threadId, path)
        one.leases.set(userId, dependencies.now() + leaseMs)
        return one
      })
      forgetOldest(userId, threadId)
      await Promise.all(wanted.map(({ started }) => started))
    },
    stop: async () => {
      stopped.abort()
      await Promise.all([...followed.values()].map(({ work }) => work))
    },
  }
}

/** Runs until its leases expire, the boot ends or the folder is gone. */
async function follow(
  dependencies: Dependencies,
  options: { one: Followed; signal: AbortSignal; onStarted: () => void },
): Promise<void> {
  const { one, signal, onStarted } = options
  const { threadId, path } = one
  const sandbox = await dependencies.ifAwake(threadId)
  if (sandbox === undefined) return
  using _expiry = stopWhenLeasesExpire(dependencies, one)
  let notification: Promise<void> | undefined
  const notify = () => {
    notification ??= waitAtMost(quietMs, { signal }).then(() => {
      notification = undefined
      for (const userId of one.leases.keys()) dependencies.publish(userId, { type: 'files-changed', threadId, path })
    })
  }
  for await (const { event } of sandbox.files.watchDir({ path }, { signal, headers: followsChanges })) {
    if (event.case === 'start') onStarted()
    else if (event.case === 'filesystem') notify()
  }
  await notification
}

function stopWhenLeasesExpire(dependencies: Dependencies, one: Followed): Disposable {
  const timer = setInterval(() => {
    for (const [userId, until] of one.leases) if (until <= dependencies.now()) one.leases.delete(userId)
    if (one.leases.size === 0) one.ended.abort()
  }, leaseMs / 2)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
