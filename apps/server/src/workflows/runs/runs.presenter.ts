import type { Run, RunReason, RunStatus, RunTrigger, Schedule, Webhook } from '@threadbox/protocol/public'
import { parseRunNetwork } from './run-network.logic.ts'
import type { RunRow, ScheduleRow, WebhookRow } from './runs.table.ts'
import { makeScheduleTimes } from './schedule-times.logic.ts'

/** How many of a schedule’s next times are shown. */
export const shownTimes = 5

export function presentRun(row: RunRow, liveThreads: ReadonlySet<string>): Run {
  const threadId = row.thread_id !== null && liveThreads.has(row.thread_id) ? row.thread_id : null
  return {
    id: row.id,
    agentId: row.agent_id,
    agentVersion: row.agent_version,
    trigger: row.trigger as RunTrigger,
    triggerId: row.trigger_id,
    dueAt: row.due_at,
    missed: row.missed,
    title: row.title,
    input: row.input,
    status: row.status as RunStatus,
    reason: row.reason_json === null ? null : (JSON.parse(row.reason_json) as RunReason),
    threadId,
    threadRemovedAt: threadId === null ? row.thread_removed_at : null,
    createdAt: row.created_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    usage: row.usage_json === null ? null : (JSON.parse(row.usage_json) as Run['usage']),
    output: row.output,
  }
}

export function presentSchedule(row: ScheduleRow, now: number): Schedule {
  const times = makeScheduleTimes({ cron: row.cron, timeZone: row.time_zone })
  return {
    id: row.id,
    agentId: row.agent_id,
    name: row.name,
    cron: row.cron,
    timeZone: row.time_zone,
    input: row.input,
    version: row.agent_version,
    overlap: row.overlap as Schedule['overlap'],
    missed: row.missed as Schedule['missed'],
    isEnabled: row.is_enabled === 1,
    network: parseRunNetwork(row.network_json),
    next: row.is_enabled === 1 ? times.after(now, shownTimes) : [],
    createdAt: row.created_at,
  }
}

export function presentWebhook(row: WebhookRow, origin: string): Webhook {
  return {
    id: row.id,
    agentId: row.agent_id,
    name: row.name,
    input: row.input,
    version: row.agent_version,
    isEnabled: row.is_enabled === 1,
    network: parseRunNetwork(row.network_json),
    url: `${origin}/hooks/${row.id}`,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  }
}
