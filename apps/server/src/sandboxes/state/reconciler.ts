import { waitAtMost } from '@threadbox/concurrency'
import type { HostEvent, HostSandbox } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { HostClient } from '../host/host-client.ts'
import type { ApplyLimits } from './live-limits.ts'
import type { Pausing } from './pausing.ts'
import { endedEvent, type Sandbox } from './sandbox.logic.ts'
import type { Sandboxes } from './sandbox-access.implementation.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { Transition } from './transitions.ts'

/** Wait before the server reconnects to the host after it lost the event stream. */
const reconnectMs = 200

export type ReconcilerDependencies = {
  store: SandboxStore
  host: HostClient
  sandboxes: Pick<Sandboxes, 'awake' | 'isExchanged' | 'waking'>
  pausing: Pausing
  transition: Transition
  /** True while this server demotes that sandbox. */
  isDemoting: (sandboxId: string) => boolean
  /** Sandboxes that belong to no thread. */
  otherSandboxes: () => Promise<string[]>
  logger: Logger
  onHostChange: (isReachable: boolean) => void
  /** Handles events other than the end of a boot. */
  onEvent: (event: HostEvent) => Promise<void>
  /** Policies and limits may have changed while the host could not be reached. */
  applyEgress: () => Promise<void>
  applyLimits: ApplyLimits
}

/**
 * Keeps the server’s records equal to the host’s state: the whole list on each connect, single events after that. Never
 * deletes on the host what the server does not know: after a restore of an older database that would destroy work.
 */
export function startReconciler(dependencies: ReconcilerDependencies): AsyncDisposable {
  const stopped = new AbortController()
  const loop = follow(dependencies, stopped.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      stopped.abort()
      await loop
    },
  }
}

async function follow(dependencies: ReconcilerDependencies, signal: AbortSignal): Promise<void> {
  const { host, logger } = dependencies
  let wasReachable: boolean | undefined
  const notify = (isReachable: boolean) => {
    if (isReachable !== wasReachable) dependencies.onHostChange(isReachable)
    wasReachable = isReachable
  }
  while (!signal.aborted) {
    try {
      const events = host.events(signal)[Symbol.asyncIterator]()
      let next = events.next()
      next.catch(() => {})
      await reconcile(dependencies, await host.list())
      notify(true)
      // The first event proves that the stream is attached. Boots that ended before are found by comparing once more.
      await next
      await reconcile(dependencies, await host.list())
      await dependencies.applyEgress()
      await dependencies.applyLimits()
      for (let event = await next; !event.done; event = await next) {
        next = events.next()
        next.catch(() => {})
        if (event.value.type === 'boot-ended') await noteEnded(dependencies, event.value)
        else await dependencies.onEvent(event.value)
      }
    } catch (error) {
      if (wasReachable !== false && !signal.aborted)
        logger.warn({ err: error }, 'the host was lost, the server will reconnect')
      notify(false)
    }
    await waitAtMost(reconnectMs, { signal })
  }
}

async function noteEnded(
  dependencies: ReconcilerDependencies,
  event: { sandboxId: string } & NonNullable<HostSandbox['lastBootEnd']>,
): Promise<void> {
  const row = await dependencies.store.findById(event.sandboxId)
  // The end of a boot that is being demoted or woken is handled by the demotion or the wake.
  if (row?.boot_id !== event.bootId || row.state === 'waking' || dependencies.isDemoting(row.id)) return
  const { bootId, cause, at, detail } = event
  await dependencies.transition(row, endedEvent(row, { lastBootEnd: { bootId, cause, at, detail } }))
}

/** Compares every sandbox that should have a boot with what the host has. */
export async function reconcile(dependencies: ReconcilerDependencies, actual: readonly HostSandbox[]): Promise<void> {
  const byId = new Map(actual.map((sandbox) => [sandbox.sandboxId, sandbox]))
  const rows = await dependencies.store.all()
  for (const row of rows) await reconcileOne(dependencies, row, byId.get(row.id))
  const known = new Set([...rows.map((row) => row.id), ...(await dependencies.otherSandboxes())])
  const unknown = actual.filter((sandbox) => !known.has(sandbox.sandboxId)).map((sandbox) => sandbox.sandboxId)
  if (unknown.length > 0)
    dependencies.logger.warn({ sandboxIds: unknown }, 'the host has sandboxes that belong to no thread')
}

async function reconcileOne(
  dependencies: ReconcilerDependencies,
  row: Sandbox,
  listed: HostSandbox | undefined,
): Promise<void> {
  const { state } = row
  if (dependencies.sandboxes.isExchanged(row.thread_id)) return
  if (state === 'starting' || state === 'waking') return finishWaking(dependencies, row)
  const isAsBelieved = state === 'paused' ? isPausedBoot(row, listed) : state === 'active' && isReadyBoot(row, listed)
  const isSettled = state === 'cold' && listed?.actual !== 'ready'
  if (isAsBelieved || isSettled || !['active', 'pausing', 'paused', 'cold'].includes(state)) return
  // The list may be older than the row: reading both once more shows what changed in between.
  const actual = await dependencies.host.get(row.id)
  const now = await dependencies.store.findById(row.id)
  if (now?.state !== state || now.boot_id !== row.boot_id) return
  await correct(dependencies, now, actual)
}

/** Brings the record to the host’s state. */
async function correct(
  dependencies: ReconcilerDependencies,
  row: Sandbox,
  actual: HostSandbox | undefined,
): Promise<void> {
  const { pausing, transition, host, logger } = dependencies
  const failed = (error: unknown) => logger.warn({ err: error, sandboxId: row.id }, 'sandbox was not reconciled')
  if (row.state === 'cold') {
    // A boot that a rewind restored, whose response a crash cut off: the repeated order takes it over.
    if (row.intent !== null) return
    // A restart that a crash cut off: the record no longer has this boot.
    if (actual?.actual === 'ready' && actual.bootId !== null)
      await host.stop(row.id, { bootId: actual.bootId }).catch(failed)
    return
  }
  if (row.state === 'pausing') return void pausing.settle(row).catch(failed)
  if (row.state === 'active') {
    if (isReadyBoot(row, actual)) return
    if (isPausedBoot(row, actual)) await pausing.adopt(row).catch(failed)
    else await transition(row, endedEvent(row, actual))
    return
  }
  if (dependencies.isDemoting(row.id) || isPausedBoot(row, actual)) return
  if (isReadyBoot(row, actual)) {
    await transition(row, { type: 'wake-requested' })
    return finishWaking(dependencies, row)
  }
  // Unknown to the host: the record stays, because the host may be the one that forgot. The next wake will show it.
  if (actual !== undefined) await transition(row, endedEvent(row, actual))
}

/**
 * A crash may have ended the request for the wake, which is completed all the same. One that this process is at work on is left
 * to its callers: joined from here, it would continue after they have canceled it.
 */
function finishWaking({ sandboxes, logger }: ReconcilerDependencies, row: Sandbox): void {
  if (sandboxes.waking(row.thread_id) !== undefined) return
  sandboxes.awake(row.thread_id, { reason: 'api' }).catch((error: unknown) => {
    logger.warn({ err: error, sandboxId: row.id }, 'sandbox did not wake')
  })
}

function isReadyBoot(row: Sandbox, actual: HostSandbox | undefined): boolean {
  return actual?.bootId === row.boot_id && actual?.actual !== 'stopped' && actual?.actual !== 'paused'
}

function isPausedBoot(row: Sandbox, actual: HostSandbox | undefined): boolean {
  return actual?.bootId === row.boot_id && actual?.actual === 'paused'
}
