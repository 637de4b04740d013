import { Code, ConnectError } from '@connectrpc/connect'
import { followWhile, makeKeyedLock, waitAtMost } from '@threadbox/concurrency'
import type { services as guest } from '@threadbox/protocol/guest'
import { followsChanges } from '@threadbox/protocol/host'
import type { OpenPort } from '@threadbox/protocol/public'
import type { RestartedService } from '../lifecycle/survival-items.logic.ts'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import { changeFromGuest, isMissingIn, restartOutcome } from './services.logic.ts'
import { type SharedServiceDependencies, startInBoot } from './services.usecases.ts'

/** Follows the guests of awake sandboxes, and restarts the services that a boot has lost. */
export type ServiceWatch = {
  /** Call it when the state of this thread’s sandbox has changed. */
  sandboxChanged(threadId: string): void
  /**
   * Resolves with the services that this boot restarted, once each has responded or failed; after a while, also with
   * those that still start.
   */
  restarted(threadId: string, bootId: string): Promise<RestartedService[]>
  stop(): Promise<void>
}

/** Wait before the server reconnects to a guest whose stream broke. */
const againMs = 1_000
/** How long the next service waits for the one before it. A report waits `reportMs` for all of them. */
const stepMs = 10_000
const reportMs = 20_000
const maxOpenPorts = 50
/** Each report is compared with the database. A guest sends one when something has changed. */
const maxReportsPerSecond = 50

type Following = {
  bootId: string
  ended: AbortController
  work: Promise<void>
  /** Services that this boot was to restart. */
  missing: string[]
  /** Keys that the guest has reported in this boot. */
  known: Set<string>
  /** Resolves when everything that ran before has been restarted. */
  attached: PromiseWithResolvers<void>
}

export function makeServiceWatch(parts: SharedServiceDependencies): ServiceWatch {
  const following = new Map<string, Following>()
  const stopped = new AbortController()
  // Changes of one sandbox are handled one after another, or an older state could undo a newer one.
  const inOrder = makeKeyedLock()

  const leave = (threadId: string) => {
    const present = following.get(threadId)
    if (present === undefined) return
    present.ended.abort()
    following.delete(threadId)
  }
  const update = async (threadId: string) => {
    const sandbox = await parts.sandboxOf(threadId)
    const bootId = sandbox?.state === 'active' ? sandbox.bootId : null
    const present = following.get(threadId)
    if (present?.bootId !== bootId) {
      leave(threadId)
      parts.openPorts.delete(threadId)
      if (bootId !== null && !stopped.signal.aborted) follow(threadId, bootId)
    }
    if ((await parts.store.list(threadId)).length > 0 || present !== undefined) await parts.changed(threadId)
  }
  const follow = (threadId: string, bootId: string) => {
    const ended = new AbortController()
    const attached = Promise.withResolvers<void>()
    const begun: Following = { bootId, ended, attached, missing: [], known: new Set(), work: Promise.resolve() }
    following.set(threadId, begun)
    const signal = AbortSignal.any([ended.signal, stopped.signal])
    begun.work = followBoot(parts, { threadId, following: begun, signal })
      .catch((error: unknown) => parts.logger.warn({ err: error, threadId }, 'services are not followed'))
      .finally(() => attached.resolve())
  }
  return {
    sandboxChanged: (threadId) => {
      if (stopped.signal.aborted) return
      inOrder(threadId, () => update(threadId)).catch((error: unknown) =>
        parts.logger.warn({ err: error, threadId }, 'services were not checked'),
      )
    },
    restarted: async (threadId, bootId) => {
      await inOrder.settled(threadId)
      const present = following.get(threadId)
      if (present?.bootId !== bootId) return []
      await waitAtMost(reportMs, { work: present.attached.promise, signal: stopped.signal })
      const rows = await parts.store.list(threadId)
      return rows
        .filter(({ name, state }) => present.missing.includes(name) && state !== 'stopped')
        .map((row) => ({ name: row.name, command: row.command, ...restartOutcome(row, bootId) }))
    },
    stop: async () => {
      stopped.abort()
      await Promise.all([inOrder.settled(), ...[...following.values()].map(({ work }) => work)])
    },
  }
}

type Followed = { threadId: string; following: Following; signal: AbortSignal }

/** Runs until the boot ends: stores what the guest reports, and starts what it should run. */
async function followBoot(parts: SharedServiceDependencies, followed: Followed): Promise<void> {
  const { threadId, following, signal } = followed
  let attaching: Promise<void> | undefined
  const attachOnce = (sandbox: ReachableSandbox) =>
    attach(parts, followed, sandbox)
      .catch((error: unknown) => parts.logger.warn({ err: error, threadId }, 'services were not restarted'))
      .finally(() => {
        attaching = undefined
      })
  let sandbox: ReachableSandbox | undefined
  await followWhile({
    signal,
    connect: async () => {
      sandbox = await parts.ifAwake(threadId)
      return sandbox?.bootId === following.bootId
        ? sandbox.services.watchServices({}, { signal, headers: followsChanges })
        : undefined
    },
    onEvent: async ({ event }) => {
      if (event.case === 'snapshot') await apply(parts, followed, event.value)
      // Checked again with each report of the guest: a start without a response is repeated.
      if (sandbox !== undefined) attaching ??= attachOnce(sandbox)
    },
    pauseMs: againMs,
    maxPerSecond: maxReportsPerSecond,
    isFinal: (error) => error instanceof ConnectError && error.code === Code.Unimplemented,
    onBroken: (error) => parts.logger.debug({ err: error, threadId }, 'guest of a sandbox was lost'),
  })
  await attaching
}

async function apply(
  parts: SharedServiceDependencies,
  { threadId, following, signal }: Followed,
  snapshot: guest.WatchServicesResponse_Snapshot,
): Promise<void> {
  await parts.inOrder(threadId, async () => {
    if (signal.aborted) return
    const infos = new Map(snapshot.services.map((info) => [info.key, info]))
    let hasChanged = false
    for (const row of await parts.store.list(threadId)) {
      const { bootId, known } = following
      const seen = { info: infos.get(row.key), wasKnown: known.has(row.key), bootId, now: parts.system.now() }
      const change = changeFromGuest(row, seen)
      if (change !== undefined) hasChanged = (await parts.store.change(row, change)) || hasChanged
    }
    for (const key of infos.keys()) following.known.add(key)
    const openPorts = snapshot.openPorts.slice(0, maxOpenPorts).flatMap(presentPort)
    const isSame = JSON.stringify(openPorts) === JSON.stringify(parts.openPorts.get(threadId) ?? [])
    parts.openPorts.set(threadId, openPorts)
    if (hasChanged || !isSame) await parts.changed(threadId)
  })
}

function presentPort({ port, command, cwd }: guest.OpenPort): OpenPort[] {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return []
  const clean = (text: string) => text.replaceAll('\0', '').slice(0, 500)
  return [{ port, command: clean(command), cwd: cwd === '' ? null : clean(cwd) }]
}

/** Restarts what should run and does not run in this boot, in the order of the original starts. */
async function attach(
  parts: SharedServiceDependencies,
  { threadId, following, signal }: Followed,
  sandbox: ReachableSandbox,
): Promise<void> {
  try {
    const rows = (await parts.store.list(threadId)).filter((row) => isMissingIn(row, following.bootId))
    following.missing = [...new Set([...following.missing, ...rows.map(({ name }) => name)])]
    for (const { name, key } of rows) {
      const begun = await parts
        .inOrder(threadId, async () => {
          const row = await parts.store.find(threadId, name)
          if (signal.aborted || row?.key !== key || !isMissingIn(row, following.bootId)) return false
          const starting = { state: 'starting' as const, since: parts.system.now(), problem_json: null }
          await parts.store.change(row, starting)
          await startInBoot(parts, { ...row, ...starting }, sandbox)
          return true
        })
        .catch((error: unknown) => {
          parts.logger.warn({ err: error, threadId, service: name }, 'a service was not restarted')
          return false
        })
      if (begun) await untilSettled(parts, { threadId, name, key, signal })
    }
  } finally {
    following.attached.resolve()
  }
}

/** A service that needs an earlier one finds it ready, as when they were started by hand. */
async function untilSettled(
  parts: SharedServiceDependencies,
  { threadId, name, key, signal }: { threadId: string; name: string; key: string; signal: AbortSignal },
): Promise<void> {
  const readSettled = async () => {
    const row = await parts.store.find(threadId, name)
    return row?.key === key && row.state === 'starting' ? undefined : true
  }
  await parts.changes.until(threadId, readSettled, { timeoutMs: stepMs, signal }).catch(() => undefined)
}
