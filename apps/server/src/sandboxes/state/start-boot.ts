import { isThreadboxError } from '@threadbox/errors'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { Sandbox, StartCause } from './sandbox.models.ts'
import { hostnameOf, limitsOf } from './sandbox-rows.ts'
import { sandboxNotReady } from './sandboxes.errors.ts'
import { recordInPlace } from './transitions.ts'
import { problemOf, type WakingDependencies, type Wish, wasGivenUp } from './waking-dependencies.ts'

/** Orders the boot that the row names. The same order twice is the same boot, so a start that a crash cut off goes on. */
export async function startBoot(dependencies: WakingDependencies, row: Sandbox, wish: Wish): Promise<Sandbox> {
  const { transition, store } = dependencies
  const started = await order(dependencies, row, wish).catch(async (error: unknown) => {
    await startProblem(dependencies, row, error)
    throw error
  })
  const restoredFrom = started.sandbox.diskRestoredFrom ?? null
  const { lost } = started
  const active = await transition(row, { type: 'boot-ready', restoredFrom, lost, startedAt: wish.startedAt })
  if (active !== undefined) return active
  const present = await store.find(row.thread_id)
  if (present?.state === 'active' && present.boot_id === row.boot_id) return present
  throw sandboxNotReady({ state: present?.state ?? 'deleted' })
}

type Started = { sandbox: HostSandbox; lost: StartCause | null }

/** `lost` says why the sandbox is a new one, when its disk could not be had any more. */
async function order(dependencies: WakingDependencies, row: Sandbox, wish: Wish): Promise<Started> {
  const { host, room, system } = dependencies
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
      wish.startedAt = room.place(row.thread_id) === undefined ? wish.startedAt : system.now()
      return host.start(row.id, { bootId, hostname: hostnameOf(row.id) })
    }
    return await room.enter(row.thread_id, start, wish.wait)
  }
  try {
    return { sandbox: await attempt(), lost }
  } catch (error) {
    // Any other problem with a disk is for a person to look at: what is still there is not removed.
    if (!isThreadboxError(error) || error.code !== 'disk.not-found') throw error
    lost = { code: 'disk-missing', detail: error.message, pausedAt }
    await recordLoss(dependencies, row, lost)
    await host.delete(row.id)
    return { sandbox: await attempt(), lost }
  }
}

/** Recorded before anything new is made: after a crash in between, the report still says that the disk is another one. */
async function recordLoss(dependencies: WakingDependencies, row: Sandbox, lost: StartCause): Promise<void> {
  dependencies.logger.error({ sandboxId: row.id, cause: lost.code }, 'disk of a sandbox is lost, it gets a new one')
  await recordInPlace(dependencies.store, row.id, { type: 'disk-lost', lost })
}

async function ensure({ host, hashKeyOf }: WakingDependencies, row: Sandbox): Promise<void> {
  // With the key of every other manifest of this sandbox, so that one which the host takes by itself can be compared.
  const hashKey = hashKeyOf(row.id)
  const actual = await host.ensure(row.id, { limits: limitsOf(row), egress: { kind: 'open' }, hashKey })
  // A boot that we gave up on, because the host did not answer in time, may have come up after all; a paused one is of
  // no use either when the row asks for a start.
  if (actual.actual !== 'stopped' && actual.bootId !== null && actual.bootId !== row.boot_id) {
    await host.stop(row.id, { bootId: actual.bootId })
  }
}

async function startProblem(dependencies: WakingDependencies, row: Sandbox, error: unknown): Promise<void> {
  const { transition, logger } = dependencies
  if (wasGivenUp(error)) {
    await transition(row, { type: row.has_run === 1 ? 'start-refused' : 'start-withdrawn' })
    return
  }
  logger.warn({ err: error, sandboxId: row.id, bootId: row.boot_id }, 'sandbox did not start')
  await transition(row, { type: 'boot-failed', problem: problemOf(error) })
}
