import {
  type CreateSchedule,
  maxTriggersPerAgent,
  type NextTimes,
  type Schedule,
  type Schedules as SchedulesView,
  type UpdateSchedule,
} from '@threadbox/protocol/public'
import { requireTriggered } from './own-runs.ts'
import type { RunDependencies } from './run-dependencies.ts'
import { runNetworkJson } from './run-network.logic.ts'
import { runTriggerLimit, runTriggerNotFound } from './runs.errors.ts'
import { presentSchedule, shownTimes } from './runs.presenter.ts'
import type { ScheduleRow } from './runs.table.ts'
import { checkSchedule, makeScheduleTimes } from './schedule-times.logic.ts'

/**
 * Schedules of agents. Methods throw `agent.not-found` or `run.trigger-not-found`, also for another user’s; those that
 * take a plan throw `schedule.cron-invalid`, `schedule.never-due`, `schedule.time-zone-invalid`.
 */
export type Schedules = {
  list(userId: string, agentId: string): Promise<SchedulesView>
  /** Throws `agent.version-not-found`, `run.trigger-limit`. */
  create(userId: string, agentId: string, request: Required<CreateSchedule>): Promise<Schedule>
  update(userId: string, scheduleId: string, request: UpdateSchedule): Promise<Schedule>
  /** Runs that it has started continue. */
  delete(userId: string, scheduleId: string): Promise<void>
  /** Returns the next times of a plan. */
  next(plan: { cron: string; timeZone: string }): NextTimes
}

type Dependencies = Pick<RunDependencies, 'schedules' | 'agents' | 'audit' | 'system' | 'onChanged'> & {
  nudge: () => void
}

export function makeSchedules(dependencies: Dependencies): Schedules {
  const { schedules, agents, system } = dependencies
  const open = async (userId: string, id: string) => {
    const row = await schedules.find(id)
    if (row === undefined) throw runTriggerNotFound({})
    await requireTriggered(agents, { userId, row })
    return row
  }
  const changed = async (userId: string, row: ScheduleRow, action: string) => {
    await dependencies.audit.record({ userId, action, subject: row.id, details: { name: row.name } })
    dependencies.onChanged(userId, row.agent_id)
    dependencies.nudge()
  }
  return {
    list: async (userId, agentId) => {
      await agents.resolve(userId, { agentId, version: null, action: 'read' })
      return { schedules: (await schedules.list(agentId)).map((row) => presentSchedule(row, system.now())) }
    },
    create: async (userId, agentId, request) => {
      await agents.resolve(userId, { agentId, version: request.version, action: 'work' })
      if ((await schedules.list(agentId)).length >= maxTriggersPerAgent) {
        throw runTriggerLimit({ limit: maxTriggersPerAgent })
      }
      const now = system.now()
      const row: ScheduleRow = {
        id: system.newId('trigger'),
        agent_id: agentId,
        user_id: userId,
        created_at: now,
        connection_ids_json: JSON.stringify(await agents.usableConnections(userId)),
        ...columnsOf(request),
        ...planOf(request, now),
      }
      await schedules.insert(row)
      await changed(userId, row, 'schedule-added')
      return presentSchedule(row, now)
    },
    update: async (userId, id, request) => {
      const row = await open(userId, id)
      const now = system.now()
      const before = presentSchedule(row, now)
      const after = { ...before, ...request }
      await agents.resolve(userId, { agentId: row.agent_id, version: after.version, action: 'work' })
      // An unchanged plan keeps its next time: a new name does not lose what is due now.
      const isSamePlan = (['cron', 'timeZone', 'isEnabled'] as const).every((key) => after[key] === before[key])
      const columns = { ...columnsOf(after), ...(isSamePlan ? {} : planOf(after, now)) }
      // It runs on behalf of the user who changed it last.
      const connection_ids_json = JSON.stringify(await agents.usableConnections(userId))
      await schedules.update(id, { ...columns, user_id: userId, connection_ids_json })
      await changed(userId, { ...row, ...columns }, 'schedule-changed')
      return presentSchedule({ ...row, ...columns }, now)
    },
    delete: async (userId, id) => {
      const row = await open(userId, id)
      await schedules.remove(id)
      await changed(userId, row, 'schedule-deleted')
    },
    next: (plan) => {
      checkSchedule(plan, system.now())
      return { next: makeScheduleTimes(plan).after(system.now(), shownTimes) }
    },
  }
}

type Plan = Required<CreateSchedule>

function columnsOf(request: Plan) {
  return {
    name: request.name,
    cron: request.cron,
    time_zone: request.timeZone,
    input: request.input,
    agent_version: request.version,
    overlap: request.overlap,
    missed: request.missed,
    is_enabled: request.isEnabled ? 1 : 0,
    network_json: runNetworkJson(request.network),
  }
}

function planOf(request: Pick<Plan, 'cron' | 'timeZone' | 'isEnabled'>, now: number) {
  checkSchedule(request, now)
  const [next = null] = request.isEnabled ? makeScheduleTimes(request).after(now, 1) : []
  return { next_due_at: next, planned_at: now }
}
