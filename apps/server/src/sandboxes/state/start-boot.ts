import { isThreadboxError } from '@threadbox/errors'
import type { HostSandbox } from '@threadbox/protocol/host'
import type { SurvivalReport } from '@threadbox/protocol/public'
import type { WakingDependencies, Wish } from './bring-awake.ts'
import { wasGivenUp } from './bring-awake.ts'
import { causeOf, hostnameOf, limitsOf, memoryGone, type StartCause } from './sandbox-rows.ts'
import { sandboxNotReady } from './sandboxes.errors.ts'
import type { SandboxRow } from './sandboxes.table.ts'

/** Orders the boot that the row names. The same order twice is the same boot, so a start that a crash cut off goes on. */
export async function startBoot(dependencies: WakingDependencies, row: SandboxRow, wish: Wish): Promise<SandboxRow> {
  const { change, system, store, recorder } = dependencies
  const bootId = row.boot_id ?? ''
  let cause = causeOf(row)
  let restoredFrom: number | null = null
  try {
    const started = await order(dependencies, row, wish)
    restoredFrom = started.sandbox.diskRestoredFrom ?? null
    cause = restoredFrom === null ? (started.lost ?? cause) : snapshotCause(restoredFrom, cause)
  } catch (error) {
    await startProblem(dependencies, row, error)
    throw error
  }
  const now = system.now()
  const isFirst = row.has_run === 0 && cause === null
  const facts = {
    reportId: system.newId('report'),
    entryId: system.newId('entry'),
    bootId,
    cause: cause === null ? null : { code: cause.code, detail: cause.detail },
    from: originOf(cause, restoredFrom),
    pausedAt: cause?.pausedAt ?? null,
    wokenAt: now,
    wakeMs: now - wish.startedAt,
  }
  const active = await change(row, {
    event: 'boot-ready',
    columns: {
      ...memoryGone,
      has_run: 1,
      awake_since: now,
      used_at: now,
      limit_announced: 0,
      retention_announced_at: null,
      cause_json: null,
      wake_json: isFirst ? null : JSON.stringify(facts),
    },
  })
  if (active !== undefined) {
    if (isFirst) await recorder.record(row.thread_id, { code: 'started', params: { durationMs: facts.wakeMs } })
    return active
  }
  const present = await store.find(row.thread_id)
  if (present?.state === 'active' && present.boot_id === bootId) return present
  throw sandboxNotReady({ state: present?.state ?? 'deleted' })
}

function originOf(cause: StartCause | null, restoredFrom: number | null): SurvivalReport['from'] {
  if (restoredFrom !== null) return 'snapshot'
  return cause?.code.startsWith('disk-') === true ? 'new' : 'disk'
}

function snapshotCause(restoredFrom: number, before: StartCause | null): StartCause {
  const detail = `The disk was made again from its snapshot of ${new Date(restoredFrom).toISOString()}.`
  return { code: 'disk-missing', detail, pausedAt: before?.pausedAt ?? null }
}

type Started = { sandbox: HostSandbox; lost: StartCause | null }

/** `lost` says why the sandbox is a new one, when its disk could not be had any more. */
async function order(dependencies: WakingDependencies, row: SandboxRow, wish: Wish): Promise<Started> {
  const { host, room, system } = dependencies
  const bootId = row.boot_id ?? ''
  const pausedAt = causeOf(row)?.pausedAt ?? null
  let lost: StartCause | null = null
  if (row.has_run === 1 && (await host.get(row.id)) === undefined) {
    lost = { code: 'disk-missing', detail: 'The machine does not know this sandbox any more.', pausedAt }
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
async function recordLoss(dependencies: WakingDependencies, row: SandboxRow, lost: StartCause): Promise<void> {
  dependencies.logger.error({ sandboxId: row.id, cause: lost.code }, 'disk of a sandbox is lost, it gets a new one')
  await dependencies.store.set(row.id, { cause_json: JSON.stringify(lost) })
}

async function ensure({ host, hashKeyOf }: WakingDependencies, row: SandboxRow): Promise<void> {
  // With the key of every other manifest of this sandbox, so that one which the host takes by itself can be compared.
  const hashKey = hashKeyOf(row.id)
  const actual = await host.ensure(row.id, { limits: limitsOf(row), egress: { kind: 'open' }, hashKey })
  // A boot that we gave up on, because the host did not answer in time, may have come up after all; a paused one is of
  // no use either when the row asks for a start.
  if (actual.actual !== 'stopped' && actual.bootId !== null && actual.bootId !== row.boot_id) {
    await host.stop(row.id, { bootId: actual.bootId })
  }
}

async function startProblem(dependencies: WakingDependencies, row: SandboxRow, error: unknown): Promise<void> {
  const { change, logger, recorder } = dependencies
  if (wasGivenUp(error)) {
    await change(row, { event: row.has_run === 1 ? 'start-refused' : 'start-withdrawn', bootId: null })
    return
  }
  const code = isThreadboxError(error) ? error.code : 'internal.unexpected'
  logger.warn({ err: error, sandboxId: row.id, bootId: row.boot_id }, 'sandbox did not start')
  const failed = await change(row, { event: 'boot-failed', bootId: null, detail: { code, params: {} } })
  if (failed === undefined) return
  const message = isThreadboxError(error) ? error.message : 'unexpected answer'
  await recorder.record(row.thread_id, { code: 'start-failed', params: { message } })
}
