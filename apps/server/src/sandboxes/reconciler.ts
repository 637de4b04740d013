import type { SandboxState } from '@threadbox/domain'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../system.ts'
import type { HostClient } from './host-client.ts'
import type { ApplyLimits } from './live-limits.ts'
import { endOf, type Sandboxes } from './sandbox-access.implementation.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { SandboxRow } from './sandboxes.table.ts'

/** Wait before the host is asked again after its event stream was lost. */
const reconnectMs = 1000

export type ReconcilerDependencies = {
  store: SandboxStore
  host: HostClient
  sandboxes: Sandboxes
  system: System
  logger: Logger
  onHostChange: (isReachable: boolean) => void
  /** Limits may have been changed while the host could not be reached. */
  applyLimits: ApplyLimits
}

/**
 * Keeps what the server believes equal to what the host has: the whole list at each connect, single events after that.
 * It never deletes on the host what it does not know: after a restore of an older database that would destroy work.
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
  const tell = (isReachable: boolean) => {
    if (isReachable !== wasReachable) dependencies.onHostChange(isReachable)
    wasReachable = isReachable
  }
  while (!signal.aborted) {
    try {
      const events = host.events(signal)[Symbol.asyncIterator]()
      let next = events.next()
      next.catch(() => {})
      await reconcile(dependencies, await host.list())
      tell(true)
      // The first event proves that the stream is attached: what ended before that is found by looking once more.
      await next
      await reconcile(dependencies, await host.list())
      await dependencies.applyLimits()
      for (let event = await next; !event.done; event = await next) {
        next = events.next()
        next.catch(() => {})
        if (event.value.type === 'boot-ended') await noteEnded(dependencies, event.value)
      }
    } catch (error) {
      if (wasReachable !== false && !signal.aborted) logger.warn({ err: error }, 'host lost, will be asked again')
      tell(false)
    }
    await pause(reconnectMs, signal)
  }
}

async function noteEnded(
  dependencies: ReconcilerDependencies,
  event: { sandboxId: string } & NonNullable<HostSandbox['lastBootEnd']>,
): Promise<void> {
  const row = await dependencies.store.findById(event.sandboxId)
  if (row?.boot_id !== event.bootId) return
  const { bootId, cause, at, detail } = event
  await dependencies.sandboxes.noteEnd(row, { bootId, cause, at, detail })
}

/** Compares every sandbox that should have a boot with what the host has. */
export async function reconcile(dependencies: ReconcilerDependencies, actual: readonly HostSandbox[]): Promise<void> {
  const byId = new Map(actual.map((sandbox) => [sandbox.sandboxId, sandbox]))
  const rows = await dependencies.store.all()
  for (const row of rows) await reconcileOne(dependencies, row, byId.get(row.id))
  const known = new Set(rows.map((row) => row.id))
  const unknown = actual.filter((sandbox) => !known.has(sandbox.sandboxId)).map((sandbox) => sandbox.sandboxId)
  if (unknown.length > 0) dependencies.logger.warn({ sandboxIds: unknown }, 'the host has sandboxes of no thread')
}

async function reconcileOne(
  dependencies: ReconcilerDependencies,
  row: SandboxRow,
  actual: HostSandbox | undefined,
): Promise<void> {
  if (row.state === ('active' satisfies SandboxState) && !isBootOf(row, actual)) {
    // The list may be older than the row: a sandbox that became ready in between is not over.
    const now = await dependencies.host.get(row.id)
    if (!isBootOf(row, now)) await dependencies.sandboxes.noteEnd(row, endOf(row, now, dependencies.system.now()))
  }
  if (row.state === ('starting' satisfies SandboxState)) {
    // Whoever wanted it awake may be gone with a crash: the start is brought to its end either way.
    dependencies.sandboxes.awake(row.thread_id, { reason: 'api' }).catch((error: unknown) => {
      dependencies.logger.warn({ err: error, sandboxId: row.id }, 'sandbox did not start')
    })
  }
}

function isBootOf(row: SandboxRow, actual: HostSandbox | undefined): boolean {
  return actual?.bootId === row.boot_id && actual?.actual !== 'stopped'
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, delayMs)
    signal.addEventListener('abort', finish)
    if (signal.aborted) finish()
  })
}
