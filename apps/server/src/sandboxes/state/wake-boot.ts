import { isThreadboxError } from '@threadbox/errors'
import { type HostSandbox, memoryProblemSchema } from '@threadbox/protocol/host'
import type { WakeCause } from '@threadbox/protocol/public'
import type { Sandbox, StartCause } from './sandbox.logic.ts'
import { problemOf, type WakeRequest, type WakingDependencies, wasCanceled } from './waking-dependencies.ts'

/** Code of the host’s error when it cannot resume a paused boot. */
export const memoryUnusableCode = 'sandbox.memory-unusable'

/**
 * Resumes the paused boot in the row. Undefined if its memory cannot be used: the sandbox is then cold, and the reason
 * is recorded for the report of its start.
 */
export async function requestWake(
  dependencies: WakingDependencies,
  row: Sandbox,
  request: WakeRequest,
): Promise<Sandbox | undefined> {
  const { host, transition, system, wakeQueue } = dependencies
  const bootId = row.boot_id ?? ''
  try {
    // Before anything runs: the policy may have been changed while it slept and the host could not be reached.
    await dependencies.egress.confirm(row)
    const { from } = await wakeQueue.enter(
      row.thread_id,
      () => {
        request.startedAt = wakeQueue.hasWaited(row.thread_id) ? system.now() : request.startedAt
        return host.wake(row.id, { bootId })
      },
      request.wait,
    )
    return await transition(row, { type: 'wake-finished', from, startedAt: request.startedAt })
  } catch (error) {
    return await onWakeFailed(dependencies, row, error)
  }
}

async function onWakeFailed(dependencies: WakingDependencies, row: Sandbox, error: unknown): Promise<undefined> {
  const { transition, logger, host } = dependencies
  const cause = await memoryCause(error, () => host.get(row.id))
  if (cause !== undefined) {
    logger.warn({ err: error, sandboxId: row.id, cause: cause.code }, 'memory of a sandbox cannot be used')
    await transition(row, { type: 'wake-failed', cause })
    return undefined
  }
  logger.warn({ err: error, sandboxId: row.id }, 'sandbox did not wake')
  await transition(row, { type: 'wake-refused', problem: wasCanceled(error) ? null : problemOf(error) })
  throw error
}

const disksGone: Record<string, WakeCause> = {
  'sandbox.not-found': 'disk-missing',
  'disk.not-found': 'disk-missing',
}

/** Why the memory is lost; undefined if it is not, or if that is unknown. */
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
  // Another boot runs, or none: this one’s memory no longer exists.
  const end = (await actual())?.lastBootEnd
  return end == null ? { code: 'memory-missing', detail: '' } : { code: `ended-${end.cause}`, detail: end.detail }
}
