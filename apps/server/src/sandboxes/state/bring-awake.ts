import type { SandboxState } from '@threadbox/domain'
import { isThreadboxError } from '@threadbox/errors'
import { type HostSandbox, memoryProblemSchema } from '@threadbox/protocol/host'
import { isExchangeCause, type WakeCause } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { System } from '../../platform/system/system.ts'
import { type ReadDefaults, threadNotFound } from '../../threads/public.ts'
import { hostUnreachable } from '../host/host.errors.ts'
import type { HostClient } from '../host/host-client.ts'
import type { LifecycleRecorder } from './lifecycle-recorder.ts'
import type { Pausing } from './pausing.ts'
import type { Room, Wait } from './room.ts'
import type { ChangeSandbox, SandboxChange } from './sandbox-changes.ts'
import { causeOf, limitColumns, memoryGone, newSandboxRow, type StartCause, wantedLimits } from './sandbox-rows.ts'
import { sandboxNotReady } from './sandboxes.errors.ts'
import type { SandboxStore } from './sandboxes.store.ts'
import type { SandboxRow } from './sandboxes.table.ts'
import { startBoot } from './start-boot.ts'

/** States in which nothing runs and a start is allowed. */
const startable: readonly SandboxState[] = ['fresh', 'cold', 'error']
/** How often a start looks again when somebody else changed the row in between; each time means progress elsewhere. */
const maxAttempts = 12

export type WakingDependencies = {
  store: SandboxStore
  host: HostClient
  change: ChangeSandbox
  system: System
  logger: Logger
  room: Room
  pausing: Pausing
  recorder: LifecycleRecorder
  /** Resolves when nothing gives the memory of this sandbox up any more. */
  demoted: (sandboxId: string) => Promise<void>
  /** False for a thread that is not there or is being deleted. */
  mayStart: (threadId: string) => Promise<boolean>
  defaults: ReadDefaults
  hashKeyOf: (sandboxId: string) => string
  /** Says in the thread that a boot ended, with its cause. */
  reportEnd: (row: SandboxRow, end: NonNullable<HostSandbox['lastBootEnd']>) => Promise<void>
}

/** Code of the host's error when a paused boot cannot go on. */
export const memoryUnusableCode = 'sandbox.memory-unusable'

/** When it was wished for: what a report counts its time from. Begins anew when a place was waited for. */
export type Wish = { wait: Wait; startedAt: number }

/** Takes the sandbox through its lifecycle until it is active and the host says that this very boot is ready. */
export async function bringAwake(dependencies: WakingDependencies, threadId: string, wait: Wait): Promise<SandboxRow> {
  const { store, host, change, system } = dependencies
  if (!(await dependencies.mayStart(threadId))) throw threadNotFound({})
  const wish: Wish = { wait, startedAt: system.now() }
  let row = (await store.find(threadId)) ?? (await makeRow(dependencies, threadId))
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    if (row.state === 'active') {
      const actual = await host.get(row.id)
      if (actual?.actual === 'ready' && actual.bootId === row.boot_id) return row
      if (actual?.actual === 'paused' && actual.bootId === row.boot_id) await dependencies.pausing.adopt(row)
      else await noteEnd(dependencies, row, actual)
    } else if (row.state === 'pausing') {
      // A pause that fails leaves the sandbox active or cold: either is a place to go on from.
      await dependencies.pausing.giveUp(row).catch((error: unknown) => throwUnreachable(error))
    } else if (row.state === 'paused') {
      await dependencies.demoted(row.id)
      await change(row, { event: 'wake-requested', columns: { cause_json: null } })
    } else if (row.state === 'waking') {
      const woken = await wakeBoot(dependencies, row, wish)
      if (woken !== undefined) return woken
    } else if (startable.includes(row.state as SandboxState)) {
      const bootId = system.newId('boot')
      const limited = await withPresentLimits(dependencies, row)
      await change(limited, { event: 'start-requested', bootId })
    } else if (row.state === 'starting') {
      // Begun before a crash: that boot may be over by now, and then a new one is begun.
      const started = await startBoot(dependencies, row, wish).catch((error: unknown) => {
        if (!isThreadboxError(error) || error.kind !== 'conflict') throw error
      })
      if (started !== undefined) return started
    } else throw sandboxNotReady({ state: row.state })
    const again = await store.find(threadId)
    if (again === undefined) throw threadNotFound({})
    row = again
  }
  throw sandboxNotReady({ state: row.state })
}

/**
 * Lets the paused boot that the row names go on. Undefined when its memory cannot be used: the sandbox is cold then, and
 * the reason is on record for the report of its start.
 */
async function wakeBoot(
  dependencies: WakingDependencies,
  row: SandboxRow,
  wish: Wish,
): Promise<SandboxRow | undefined> {
  const { host, change, system, room } = dependencies
  const bootId = row.boot_id ?? ''
  try {
    const woken = await room.enter(
      row.thread_id,
      () => {
        wish.startedAt = room.place(row.thread_id) === undefined ? wish.startedAt : system.now()
        return host.wake(row.id, { bootId })
      },
      wish.wait,
    )
    const now = system.now()
    // It ran on all the while, so nothing slept: only the record was behind.
    const isWake = woken.from !== 'awake' || row.paused_at !== null
    const from = woken.from === 'frozen' ? ('frozen' as const) : ('memory' as const)
    const facts = {
      reportId: system.newId('report'),
      entryId: system.newId('entry'),
      bootId,
      from,
      cause: null,
      pausedAt: row.paused_at,
      wokenAt: now,
      wakeMs: now - wish.startedAt,
    }
    return await change(row, {
      event: 'wake-finished',
      columns: {
        ...memoryGone,
        awake_since: now,
        used_at: now,
        limit_announced: 0,
        retention_announced_at: null,
        pause_cause: null,
        wake_json: isWake ? JSON.stringify(facts) : row.wake_json,
      },
    })
  } catch (error) {
    return await wakeProblem(dependencies, row, error)
  }
}

async function wakeProblem(
  dependencies: WakingDependencies,
  row: SandboxRow,
  error: unknown,
): Promise<SandboxRow | undefined> {
  const { change, logger, recorder, host } = dependencies
  const cause = await memoryCause(error, () => host.get(row.id))
  if (cause !== undefined) {
    logger.warn({ err: error, sandboxId: row.id, cause: cause.code }, 'memory of a sandbox cannot be used')
    const columns = { ...memoryGone, cause_json: JSON.stringify({ ...cause, pausedAt: row.paused_at }) }
    const cold = await change(row, { event: 'wake-failed', bootId: null, columns })
    if (cold !== undefined) await recorder.record(row.thread_id, { code: 'memory-lost', params: { cause: cause.code } })
    return undefined
  }
  const code = isThreadboxError(error) ? error.code : 'internal.unexpected'
  const detail = wasGivenUp(error) ? null : { code, params: {} }
  logger.warn({ err: error, sandboxId: row.id }, 'sandbox did not wake')
  const back = await change(row, { event: 'wake-refused', detail, columns: {} })
  if (back !== undefined && detail !== null) {
    const message = isThreadboxError(error) ? error.message : 'unexpected answer'
    await recorder.record(row.thread_id, { code: 'wake-failed', params: { message } })
  }
  throw error
}

/** Whoever wanted it awake has gone: nothing failed. */
export function wasGivenUp(error: unknown): boolean {
  return isThreadboxError(error) ? error.kind === 'interrupted' : error instanceof Error && error.name === 'AbortError'
}

const disksGone: Record<string, WakeCause> = {
  'sandbox.not-found': 'disk-missing',
  'disk.not-found': 'disk-missing',
}

/** Why the memory is lost; undefined when it is not, or when nobody knows. */
async function memoryCause(
  error: unknown,
  actual: () => Promise<HostSandbox | undefined>,
): Promise<Omit<StartCause, 'pausedAt'> | undefined> {
  if (!isThreadboxError(error)) return undefined
  const disk = disksGone[error.code]
  if (disk !== undefined) return { code: disk, detail: error.message }
  if (error.code === memoryUnusableCode) {
    const problem = memoryProblemSchema.safeParse(error.details.reason)
    return { code: `memory-${problem.success ? problem.data : 'restore-failed'}`, detail: error.message }
  }
  if (error.kind !== 'conflict') return undefined
  // Another boot, or none: this one's memory is no longer there.
  const end = (await actual())?.lastBootEnd
  return end == null ? { code: 'memory-missing', detail: '' } : { code: `ended-${end.cause}`, detail: end.detail }
}

/** Takes note of a boot that is over: the sandbox is cold, and the thread says why. */
export async function noteEnd(
  dependencies: Pick<WakingDependencies, 'change' | 'reportEnd' | 'recorder' | 'system' | 'room'>,
  row: SandboxRow,
  actual: Pick<HostSandbox, 'lastBootEnd'> | undefined,
): Promise<void> {
  const known = actual?.lastBootEnd
  const end =
    known != null && known.bootId === row.boot_id
      ? known
      : { bootId: row.boot_id ?? '', cause: 'unknown' as const, at: dependencies.system.now(), detail: '' }
  const isAsleep = row.state === 'paused'
  const intended = causeOf(row)
  // Given up on purpose, and the answer was lost in a crash: no accident.
  const isIntended =
    intended !== null && (isExchangeCause(intended.code) || (isAsleep && intended.code === 'memory-given-up'))
  const ended: StartCause = { code: `ended-${end.cause}`, detail: end.detail, pausedAt: row.paused_at }
  const cause = isIntended ? intended : ended
  const told: SandboxChange['detail'] = isIntended
    ? { code: cause.code, params: {} }
    : { code: `ended.${end.cause}`, params: { detail: end.detail } }
  const changed = await dependencies.change(row, {
    event: isAsleep ? 'memory-dropped' : 'boot-ended',
    bootId: null,
    detail: told,
    columns: { ...memoryGone, awake_since: null, cause_json: JSON.stringify(cause) },
  })
  if (changed === undefined) return
  const line = isAsleep
    ? ({ code: 'memory-lost', params: { cause: cause.code } } as const)
    : ({ code: 'ended', params: { cause: end.cause } } as const)
  await dependencies.recorder.record(row.thread_id, line)
  if (!isIntended) await dependencies.reportEnd(row, end)
  dependencies.room.changed()
}

function throwUnreachable(error: unknown): void {
  if (!isThreadboxError(error) || error.code === hostUnreachable.code) throw error
}

/** A start takes the limits as they are set now: raising them and starting again is the cure for running out. */
async function withPresentLimits(dependencies: WakingDependencies, row: SandboxRow): Promise<SandboxRow> {
  const defaults = await dependencies.defaults([row.thread_id])
  const limits = limitColumns(wantedLimits(row, defaults(row.thread_id).limits))
  await dependencies.store.setLimits(row.id, limits)
  return { ...row, ...limits }
}

/** The row of a thread whose sandbox nobody has used yet. */
export async function makeRow(
  dependencies: Pick<WakingDependencies, 'defaults' | 'store' | 'system'>,
  threadId: string,
): Promise<SandboxRow> {
  const { store, system } = dependencies
  const { limits } = (await dependencies.defaults([threadId]))(threadId)
  return await store.insertIfMissing(
    newSandboxRow({ id: system.newId('sandbox'), threadId, now: system.now(), limits }),
  )
}
