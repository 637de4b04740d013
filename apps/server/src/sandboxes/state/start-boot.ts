import { isThreadboxError } from '@threadbox/errors'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { Sandbox, StartCause } from './sandbox.logic.ts'
import { hostnameOf, limitsOf } from './sandbox-rows.ts'
import { sandboxNotReady } from './sandboxes.errors.ts'
import { recordInPlace } from './transitions.ts'
import { problemOf, type WakeRequest, type WakingDependencies, wasCanceled } from './waking-dependencies.ts'

/** Orders the boot in the row. A repeated order is the same boot, so a start that a crash cut off continues. */
export async function startBoot(
  dependencies: WakingDependencies,
  row: Sandbox,
  request: WakeRequest,
): Promise<Sandbox> {
  const { transition, store } = dependencies
  const started = await order(dependencies, row, request).catch(async (error: unknown) => {
    await onStartFailed(dependencies, row, error)
    throw error
  })
  const restoredFrom = started.sandbox.diskRestoredFrom ?? null
  const { lost } = started
  const active = await transition(row, { type: 'boot-ready', restoredFrom, lost, startedAt: request.startedAt })
  if (active !== undefined) return active
  const present = await store.find(row.thread_id)
  if (present?.state === 'active' && present.boot_id === row.boot_id) return present
  throw sandboxNotReady({ state: present?.state ?? 'deleted' })
}

type Started = { sandbox: HostSandbox; lost: StartCause | null }

/** `lost` says why the sandbox is a new one, if its disk no longer exists. */
async function order(dependencies: WakingDependencies, row: Sandbox, request: WakeRequest): Promise<Started> {
  const { host, wakeQueue, system } = dependencies
  const bootId = row.boot_id ?? ''
  const pausedAt = row.cause?.pausedAt ?? null
  let lost: StartCause | null = null
  if (row.has_run === 1 && (await host.get(row.id)) === undefined) {
    lost = { code: 'disk-missing', detail: 'The host no longer has this sandbox.', pausedAt }
    await recordLoss(dependencies, row, lost)
  }
  const attempt = async () => {
    await ensure(dependencies, row)
    const start = () => {
      request.startedAt = wakeQueue.hasWaited(row.thread_id) ? system.now() : request.startedAt
      return host.start(row.id, { bootId, hostname: hostnameOf(row.id) })
    }
    return await wakeQueue.enter(row.thread_id, start, request.wait)
  }
  try {
    return { sandbox: await attempt(), lost }
  } catch (error) {
    // Any other problem with a disk needs a person: nothing on the disk is removed.
    if (!isThreadboxError(error) || error.code !== 'disk.not-found') throw error
    lost = { code: 'disk-missing', detail: error.message, pausedAt }
    await recordLoss(dependencies, row, lost)
    await host.delete(row.id)
    return { sandbox: await attempt(), lost }
  }
}

/**
 * Recorded before anything new is created: after a crash in between, the report still says that the disk is a new one.
 */
async function recordLoss(dependencies: WakingDependencies, row: Sandbox, lost: StartCause): Promise<void> {
  dependencies.logger.error({ sandboxId: row.id, cause: lost.code }, 'disk of a sandbox is lost, it gets a new one')
  await recordInPlace(dependencies.store, row.id, { type: 'disk-lost', lost })
}

async function ensure({ host, hashKeyOf, egress: policies }: WakingDependencies, row: Sandbox): Promise<void> {
  // The key of every manifest of this sandbox, so that one which the host takes on its own can be compared.
  const hashKey = hashKeyOf(row.id)
  const actual = await policies.ordered(row, (egress) =>
    host.ensure(row.id, { limits: limitsOf(row), egress, hashKey }),
  )
  // A boot that this server abandoned, because the host did not respond in time, may have started after all. A paused
  // one is of no use either when the row asks for a start.
  if (actual.actual !== 'stopped' && actual.bootId !== null && actual.bootId !== row.boot_id) {
    await host.stop(row.id, { bootId: actual.bootId })
  }
}

async function onStartFailed(dependencies: WakingDependencies, row: Sandbox, error: unknown): Promise<void> {
  const { transition, logger } = dependencies
  if (wasCanceled(error)) {
    await transition(row, { type: row.has_run === 1 ? 'start-refused' : 'start-withdrawn' })
    return
  }
  logger.warn({ err: error, sandboxId: row.id, bootId: row.boot_id }, 'sandbox did not start')
  await transition(row, { type: 'boot-failed', problem: problemOf(error) })
}
