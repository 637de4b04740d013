import type { SandboxLimits, SandboxState } from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../system.ts'
import { threadNotFound } from '../threads/threads.errors.ts'
import { type ReachableSandbox, reachSandbox } from './awake-sandbox.ts'
import type { HostClient } from './host-client.ts'
import type { SandboxAccess } from './sandbox-access.ts'
import type { ChangeSandbox } from './sandbox-changes.ts'
import { sandboxNotReady } from './sandboxes.errors.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { SandboxRow } from './sandboxes.table.ts'

/** States in which nothing runs and a start is allowed. */
const startable: readonly SandboxState[] = ['fresh', 'cold', 'error']
/** How often a start looks again when somebody else changed the row in between; each time means progress elsewhere. */
const maxAttempts = 8

export type SandboxAccessDependencies = {
  store: SandboxStore
  host: HostClient
  change: ChangeSandbox
  system: System
  logger: Logger
  /** False for a thread that is not there or is being deleted. */
  mayStart: (threadId: string) => Promise<boolean>
  limits: () => Promise<SandboxLimits>
  /** Brings files into the sandbox that were uploaded while it slept. */
  deliver: (threadId: string, sandbox: ReachableSandbox) => Promise<void>
  /** The last turn of a thread let go of its sandbox. */
  onReleased: (threadId: string) => void
  /** Says in the thread that a boot ended, with its cause. */
  reportEnd: (row: SandboxRow, end: NonNullable<HostSandbox['lastBootEnd']>) => Promise<void>
}

/** {@link SandboxAccess}, with the view that the files feature needs. */
export type Sandboxes = Omit<SandboxAccess, 'awake' | 'ifAwake'> & {
  awake(
    threadId: string,
    options: { reason: 'turn' | 'files' | 'terminal' | 'api'; signal?: AbortSignal },
  ): Promise<ReachableSandbox>
  ifAwake(threadId: string): Promise<ReachableSandbox | undefined>
  isHeld(threadId: string): boolean
  /** Takes note of a boot that is over: the sandbox is cold, and the thread says why. */
  noteEnd(row: SandboxRow, end: NonNullable<HostSandbox['lastBootEnd']>): Promise<void>
}

export function makeSandboxAccess(dependencies: SandboxAccessDependencies): Sandboxes {
  const { store, host } = dependencies
  const joined = new Map<string, Promise<ReachableSandbox>>()
  const holds = new Map<string, number>()
  // One connection to each boot, so that its clients are made once.
  const reached = new Map<string, ReachableSandbox>()
  const reach = (row: SandboxRow, bootId: string) => {
    const known = reached.get(row.id)
    if (known?.bootId === bootId) return known
    const sandbox = reachSandbox(host, { sandboxId: row.id, bootId })
    reached.set(row.id, sandbox)
    return sandbox
  }
  const wake = async (threadId: string) => {
    const row = await bringAwake(dependencies, threadId)
    const sandbox = reach(row, row.boot_id ?? '')
    await dependencies.deliver(threadId, sandbox)
    return sandbox
  }

  return {
    awake: (threadId, { signal }) => {
      const running = joined.get(threadId) ?? wake(threadId).finally(() => joined.delete(threadId))
      joined.set(threadId, running)
      return signal === undefined ? running : orAborted(running, signal)
    },
    ifAwake: async (threadId) => {
      const row = await store.find(threadId)
      if (row?.state !== 'active' || row.boot_id === null) return undefined
      const actual = await host.get(row.id)
      return actual?.actual === 'ready' && actual.bootId === row.boot_id ? reach(row, row.boot_id) : undefined
    },
    hold: (threadId) => {
      holds.set(threadId, (holds.get(threadId) ?? 0) + 1)
      let isReleased = false
      return {
        [Symbol.dispose]: () => {
          if (isReleased) return
          isReleased = true
          const left = (holds.get(threadId) ?? 1) - 1
          if (left > 0) return void holds.set(threadId, left)
          holds.delete(threadId)
          dependencies.onReleased(threadId)
        },
      }
    },
    isHeld: (threadId) => holds.has(threadId),
    noteEnd: (row, end) => noteEnd(dependencies, row, end),
  }
}

/** Takes the sandbox through its lifecycle until it is active and the host says that this very boot is ready. */
async function bringAwake(dependencies: SandboxAccessDependencies, threadId: string): Promise<SandboxRow> {
  if (!(await dependencies.mayStart(threadId))) throw threadNotFound({})
  let row = (await dependencies.store.find(threadId)) ?? (await makeRow(dependencies, threadId))
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (row.state === 'active') {
      const actual = await dependencies.host.get(row.id)
      if (actual?.actual === 'ready' && actual.bootId === row.boot_id) return row
      await noteEnd(dependencies, row, endOf(row, actual, dependencies.system.now()))
    } else if (startable.includes(row.state as SandboxState)) {
      const bootId = dependencies.system.newId('boot')
      const limited = await withPresentLimits(dependencies, row)
      const starting = await dependencies.change(limited, { event: 'start-requested', bootId })
      if (starting !== undefined) return await start(dependencies, starting)
    } else if (row.state === 'starting') {
      // Begun before a crash: that boot may be over by now, and then a new one is begun.
      const started = await start(dependencies, row).catch((error: unknown) => {
        if (!isThreadboxError(error) || error.kind !== 'conflict') throw error
      })
      if (started !== undefined) return started
    } else throw sandboxNotReady({ state: row.state })
    const again = await dependencies.store.find(threadId)
    if (again === undefined) throw threadNotFound({})
    row = again
  }
  throw sandboxNotReady({ state: row.state })
}

/** Orders the boot that the row names. The same order twice is the same boot, so a start that a crash cut off goes on. */
async function start(dependencies: SandboxAccessDependencies, row: SandboxRow): Promise<SandboxRow> {
  const { host, change, logger } = dependencies
  const bootId = row.boot_id ?? ''
  try {
    const actual = await host.ensure(row.id, { limits: limitsOf(row), egress: { kind: 'open' } })
    // A boot that we gave up on, because the host did not answer in time, may have come up after all.
    if (actual.actual !== 'stopped' && actual.bootId !== null && actual.bootId !== bootId) {
      await host.stop(row.id, actual.bootId)
    }
    await host.start(row.id, { bootId, hostname: hostnameOf(row.id) })
  } catch (error) {
    const code = isThreadboxError(error) ? error.code : 'internal.unexpected'
    logger.warn({ err: error, sandboxId: row.id, bootId }, 'sandbox did not start')
    await change(row, { event: 'boot-failed', bootId: null, detail: { code, params: {} } })
    throw error
  }
  const active = await change(row, { event: 'boot-ready' })
  if (active !== undefined) return active
  const now = await dependencies.store.find(row.thread_id)
  if (now?.state === 'active' && now.boot_id === bootId) return now
  throw sandboxNotReady({ state: now?.state ?? 'deleted' })
}

async function noteEnd(
  dependencies: SandboxAccessDependencies,
  row: SandboxRow,
  end: NonNullable<HostSandbox['lastBootEnd']>,
): Promise<void> {
  const detail = { code: `ended.${end.cause}`, params: { detail: end.detail } }
  const changed = await dependencies.change(row, { event: 'boot-ended', bootId: null, detail })
  if (changed !== undefined) await dependencies.reportEnd(row, end)
}

/** Why the boot that we knew is over, as far as the host knows. */
export function endOf(row: SandboxRow, actual: HostSandbox | undefined, now: number) {
  const end = actual?.lastBootEnd
  if (end != null && end.bootId === row.boot_id) return end
  return { bootId: row.boot_id ?? '', cause: 'unknown' as const, at: now, detail: '' }
}

/** A start takes the limits as they are set now, which may have changed while nothing ran. */
async function withPresentLimits(dependencies: SandboxAccessDependencies, row: SandboxRow): Promise<SandboxRow> {
  const limits = limitColumns(await dependencies.limits())
  await dependencies.store.setLimits(row.id, limits)
  return { ...row, ...limits }
}

/** Limits as they are recorded. */
export function limitColumns(limits: SandboxLimits) {
  return {
    memory_bytes: limits.memoryBytes,
    cpus: limits.cpus,
    processes: limits.processes,
    disk_bytes: limits.diskBytes,
  }
}

async function makeRow(dependencies: SandboxAccessDependencies, threadId: string): Promise<SandboxRow> {
  const limits = await dependencies.limits()
  const now = dependencies.system.now()
  return await dependencies.store.insertIfMissing({
    id: dependencies.system.newId('sandbox'),
    thread_id: threadId,
    state: 'fresh',
    since: now,
    boot_id: null,
    detail_code: null,
    detail_json: null,
    ...limitColumns(limits),
    created_at: now,
  })
}

export function limitsOf(row: SandboxRow): SandboxLimits {
  return { memoryBytes: row.memory_bytes, cpus: row.cpus, processes: row.processes, diskBytes: row.disk_bytes }
}

/** What `hostname` says inside: short, the same at each start, different in each sandbox. */
function hostnameOf(sandboxId: string): string {
  return `threadbox-${sandboxId.slice(1, 9)}`
}

/** The result, or the caller's abort: the start itself goes on for whoever else waits. */
function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
