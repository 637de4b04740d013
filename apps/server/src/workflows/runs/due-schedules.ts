import type { RunDependencies } from './run-dependencies.ts'
import type { NewRun, RunIntake } from './run-intake.ts'
import { reasonFrom } from './run-outcome.logic.ts'
import { runMissed, runOverlap, runQueueFull } from './runs.errors.ts'
import type { RunWriter } from './runs.store.ts'
import type { RunRow, ScheduleRow } from './runs.table.ts'
import { makeScheduleTimes } from './schedule-times.logic.ts'

/** How late a run can begin and still count as on time, so that a restart or a busy host does not skip it. */
const graceMs = 5 * 60_000

type Dependencies = Pick<RunDependencies, 'store' | 'schedules' | 'agents' | 'system' | 'logger' | 'onChanged'> & {
  intake: RunIntake
}

/** The schedule was changed, or handled by another pass, since it was read: the decision is outdated. */
class Outdated extends Error {}

/**
 * Turns due times into runs. The run, the due time and the next due time are written in one transaction: a killed
 * server has done all of it or nothing, and a due time is never handled twice, even if the clock changes.
 */
export async function fireDueSchedules(dependencies: Dependencies): Promise<void> {
  const { schedules, system, logger } = dependencies
  for (const row of await schedules.due(system.now())) {
    await fire(dependencies, row).catch((error: unknown) => {
      if (error instanceof Outdated) return
      logger.error({ err: error, scheduleId: row.id }, 'schedule could not be handled, will be tried again')
    })
  }
}

async function fire(dependencies: Dependencies, row: ScheduleRow): Promise<void> {
  const { schedules, store, system, intake } = dependencies
  const now = system.now()
  const times = makeScheduleTimes({ cron: row.cron, timeZone: row.time_zone })
  const next = { dueAt: times.after(now, 1)[0] ?? null, now }
  const due = times.upTo(now, row.next_due_at ?? now)
  const [dueAt, ...missed] = due
  if (dueAt === undefined) {
    // The clock was set back: the planned time is later than the next one now.
    await schedules.advance(row, next, store.writer)
    return
  }
  const isOnTime = now - dueAt <= graceMs
  const isOnce = row.missed === 'once'
  const unused = isOnce ? [] : isOnTime ? missed : due
  const run = await newRun(dependencies, { row, dueAt, missed: isOnce ? missed.length : 0 })
  const limit = await intake.queueLimit()
  await intake.exclusively(row.user_id, () =>
    store.transaction(async (writer) => {
      if (!(await schedules.advance(row, next, writer))) throw new Outdated()
      if (unused.length > 0) await store.insert(missedRow(dependencies, run, unused), writer)
      if (unused.length === due.length) return
      const taken = await schedules.take({ scheduleId: row.id, dueAt, now }, writer)
      if (taken) await store.insert(await rowFor(dependencies, { row, run, writer, limit }), writer)
    }),
  )
  dependencies.onChanged(row.user_id, row.agent_id)
}

type PlannedRun = NewRun & { problem?: unknown }

async function newRun(
  { agents }: Dependencies,
  { row, dueAt, missed }: { row: ScheduleRow; dueAt: number; missed: number },
): Promise<PlannedRun> {
  const run = {
    agentId: row.agent_id,
    userId: row.user_id,
    trigger: 'schedule' as const,
    triggerId: row.id,
    dueAt,
    missed,
    isExclusive: row.overlap !== 'allow',
    title: row.name,
    input: row.input,
    connectionIdsJson: row.connection_ids_json,
    networkJson: row.network_json,
  }
  try {
    const agent = { agentId: row.agent_id, version: row.agent_version, action: 'work' as const }
    return { ...run, version: (await agents.resolve(row.user_id, agent)).version }
  } catch (problem) {
    return { ...run, version: row.agent_version ?? 0, problem }
  }
}

/** The queued run; otherwise the record that explains why there is none, so that nothing is dropped silently. */
async function rowFor(
  { store, intake }: Dependencies,
  { row, run, writer, limit }: { row: ScheduleRow; run: PlannedRun; writer: RunWriter; limit: number },
): Promise<RunRow> {
  if (run.problem !== undefined) return intake.endedRow(run, { status: 'failed', reason: reasonFrom(run.problem) })
  if (row.overlap === 'skip' && (await store.hasOpen(row.id, writer))) {
    return intake.endedRow(run, { status: 'skipped', reason: reasonFrom(runOverlap({})) })
  }
  if ((await store.countQueued(run.userId, writer)) < limit) return intake.rowOf(run)
  return intake.endedRow(run, { status: 'skipped', reason: reasonFrom(runQueueFull({ limit })) })
}

function missedRow({ intake }: Dependencies, run: PlannedRun, unused: readonly number[]): RunRow {
  const at = (time: number | undefined) => new Date(time ?? 0).toISOString()
  const dueAt = unused[0] ?? 0
  const error = runMissed({ count: unused.length, from: at(unused.at(-1)), to: at(dueAt) })
  const row = intake.endedRow(
    { ...run, dueAt, missed: unused.length },
    { status: 'skipped', reason: reasonFrom(error) },
  )
  // Sorts it below the run that is on time.
  return { ...row, created_at: row.created_at - 1 }
}
