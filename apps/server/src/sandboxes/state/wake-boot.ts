import { isThreadboxError } from '@threadbox/errors'
import { type HostSandbox, memoryProblemSchema } from '@threadbox/protocol/host'
import type { WakeCause } from '@threadbox/protocol/public'
import type { Sandbox, StartCause } from './sandbox.models.ts'
import { problemOf, type WakingDependencies, type Wish, wasGivenUp } from './waking-dependencies.ts'

/** Code of the host's error when a paused boot cannot go on. */
export const memoryUnusableCode = 'sandbox.memory-unusable'

/**
 * Lets the paused boot that the row names go on. Undefined when its memory cannot be used: the sandbox is cold then, and
 * the reason is on record for the report of its start.
 */
export async function wakeBoot(
  dependencies: WakingDependencies,
  row: Sandbox,
  wish: Wish,
): Promise<Sandbox | undefined> {
  const { host, transition, system, room } = dependencies
  const bootId = row.boot_id ?? ''
  try {
    const { from } = await room.enter(
      row.thread_id,
      () => {
        wish.startedAt = room.place(row.thread_id) === undefined ? wish.startedAt : system.now()
        return host.wake(row.id, { bootId })
      },
      wish.wait,
    )
    return await transition(row, { type: 'wake-finished', from, startedAt: wish.startedAt })
  } catch (error) {
    return await wakeProblem(dependencies, row, error)
  }
}

async function wakeProblem(dependencies: WakingDependencies, row: Sandbox, error: unknown): Promise<undefined> {
  const { transition, logger, host } = dependencies
  const cause = await memoryCause(error, () => host.get(row.id))
  if (cause !== undefined) {
    logger.warn({ err: error, sandboxId: row.id, cause: cause.code }, 'memory of a sandbox cannot be used')
    await transition(row, { type: 'wake-failed', cause })
    return undefined
  }
  logger.warn({ err: error, sandboxId: row.id }, 'sandbox did not wake')
  await transition(row, { type: 'wake-refused', problem: wasGivenUp(error) ? null : problemOf(error) })
  throw error
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
