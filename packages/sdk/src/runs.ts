import type {
  CreatedWebhook,
  CreateSchedule,
  CreateWebhook,
  KeepRuns,
  KeptRuns,
  LatestRuns,
  NextTimes,
  Run,
  RunPage,
  Schedule,
  Schedules,
  StartRun,
  UpdateSchedule,
  UpdateWebhook,
  Webhook,
  Webhooks,
} from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** Unattended agent runs, and their schedules and webhooks. */
export function runCalls(connection: Connection) {
  const at = (kind: 'agents' | 'runs' | 'schedules' | 'webhooks', id: string, rest = '') =>
    `/${kind}/${encodeURIComponent(id)}${rest}`
  return {
    /** Newest first. */
    list: (agentId: string, options: { cursor?: string; limit?: number; signal?: AbortSignal } = {}) =>
      connection.json<RunPage>('GET', at('agents', agentId, '/runs'), {
        query: { cursor: options.cursor, limit: options.limit },
        signal: options.signal,
      }),
    /** Starts a new thread from the agent with this message. Repeating a request with the same `key` starts one run. */
    start: (agentId: string, request: StartRun) =>
      connection.json<Run>('POST', at('agents', agentId, '/runs'), { json: request }),
    get: (runId: string, signal?: AbortSignal) => connection.json<Run>('GET', at('runs', runId), { signal }),
    /** Gets each agent’s newest run and the next due time of its schedules. */
    latest: (signal?: AbortSignal) => connection.json<LatestRuns>('GET', '/runs/latest', { signal }),
    /** Cancels a run. Does nothing if it has ended. */
    cancel: (runId: string) => connection.json<Run>('POST', at('runs', runId, '/cancel')),

    /**
     * Gets how many runs’ threads the agent keeps, and which threads would be deleted now, with its value or with
     * `keep`.
     */
    kept: (agentId: string, options: { keep?: number; signal?: AbortSignal } = {}) =>
      connection.json<KeptRuns>('GET', at('agents', agentId, '/kept-runs'), {
        query: { keep: options.keep },
        signal: options.signal,
      }),
    /**
     * Sets how many ended runs’ threads to keep; null keeps all. The response says how many threads are deleted now.
     */
    setKept: (agentId: string, request: KeepRuns) =>
      connection.json<KeptRuns>('PUT', at('agents', agentId, '/kept-runs'), { json: request }),

    schedules: (agentId: string, signal?: AbortSignal) =>
      connection.json<Schedules>('GET', at('agents', agentId, '/schedules'), { signal }),
    createSchedule: (agentId: string, request: CreateSchedule) =>
      connection.json<Schedule>('POST', at('agents', agentId, '/schedules'), { json: request }),
    /** Gets the next times of a schedule that is not saved. */
    nextTimes: (cron: string, timeZone: string, signal?: AbortSignal) =>
      connection.json<NextTimes>('GET', '/schedules/next', { query: { cron, timeZone }, signal }),
    updateSchedule: (scheduleId: string, request: UpdateSchedule) =>
      connection.json<Schedule>('PATCH', at('schedules', scheduleId), { json: request }),
    deleteSchedule: (scheduleId: string) => connection.json<void>('DELETE', at('schedules', scheduleId)),

    webhooks: (agentId: string, signal?: AbortSignal) =>
      connection.json<Webhooks>('GET', at('agents', agentId, '/webhooks'), { signal }),
    /** Creates a webhook. Its secret is returned only this once. */
    createWebhook: (agentId: string, request: CreateWebhook) =>
      connection.json<CreatedWebhook>('POST', at('agents', agentId, '/webhooks'), { json: request }),
    updateWebhook: (webhookId: string, request: UpdateWebhook) =>
      connection.json<Webhook>('PATCH', at('webhooks', webhookId), { json: request }),
    /** Replaces the secret, returned only this once; the previous one is rejected from then on. */
    renewWebhookSecret: (webhookId: string) =>
      connection.json<CreatedWebhook>('POST', at('webhooks', webhookId, '/secret')),
    deleteWebhook: (webhookId: string) => connection.json<void>('DELETE', at('webhooks', webhookId)),
  }
}
