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

/** Runs of agents that nobody has to watch, and what starts them. */
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
    /** A new thread from the agent with this message. With a `key` the same request sent twice is one run. */
    start: (agentId: string, request: StartRun) =>
      connection.json<Run>('POST', at('agents', agentId, '/runs'), { json: request }),
    get: (runId: string, signal?: AbortSignal) => connection.json<Run>('GET', at('runs', runId), { signal }),
    /** Of each agent the newest run, and when a schedule is due next. */
    latest: (signal?: AbortSignal) => connection.json<LatestRuns>('GET', '/runs/latest', { signal }),
    /** One that has ended stays as it is. */
    cancel: (runId: string) => connection.json<Run>('POST', at('runs', runId, '/cancel')),

    /** Of how many runs the agent keeps the threads, and which go now: with this value, or with the one asked about. */
    kept: (agentId: string, options: { keep?: number; signal?: AbortSignal } = {}) =>
      connection.json<KeptRuns>('GET', at('agents', agentId, '/kept-runs'), {
        query: { keep: options.keep },
        signal: options.signal,
      }),
    /** Threads of older ended runs are removed; null keeps all. The answer says how many go now. */
    setKept: (agentId: string, request: KeepRuns) =>
      connection.json<KeptRuns>('PUT', at('agents', agentId, '/kept-runs'), { json: request }),

    schedules: (agentId: string, signal?: AbortSignal) =>
      connection.json<Schedules>('GET', at('agents', agentId, '/schedules'), { signal }),
    createSchedule: (agentId: string, request: CreateSchedule) =>
      connection.json<Schedule>('POST', at('agents', agentId, '/schedules'), { json: request }),
    /** When a schedule would be due. */
    nextTimes: (cron: string, timeZone: string, signal?: AbortSignal) =>
      connection.json<NextTimes>('GET', '/schedules/next', { query: { cron, timeZone }, signal }),
    updateSchedule: (scheduleId: string, request: UpdateSchedule) =>
      connection.json<Schedule>('PATCH', at('schedules', scheduleId), { json: request }),
    deleteSchedule: (scheduleId: string) => connection.json<void>('DELETE', at('schedules', scheduleId)),

    webhooks: (agentId: string, signal?: AbortSignal) =>
      connection.json<Webhooks>('GET', at('agents', agentId, '/webhooks'), { signal }),
    /** Its secret is told this once. */
    createWebhook: (agentId: string, request: CreateWebhook) =>
      connection.json<CreatedWebhook>('POST', at('agents', agentId, '/webhooks'), { json: request }),
    updateWebhook: (webhookId: string, request: UpdateWebhook) =>
      connection.json<Webhook>('PATCH', at('webhooks', webhookId), { json: request }),
    /** Gives it another secret, which is told this once; the one of before is refused from then on. */
    renewWebhookSecret: (webhookId: string) =>
      connection.json<CreatedWebhook>('POST', at('webhooks', webhookId, '/secret')),
    deleteWebhook: (webhookId: string) => connection.json<void>('DELETE', at('webhooks', webhookId)),
  }
}
