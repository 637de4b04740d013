import type { AgentDetails, KeptRuns, LatestRuns, NextTimes, Run, RunPage, Schedules, Webhooks } from '@threadbox/sdk'
import { now } from './example-data.ts'

/** An agent that reads logs at night, and its runs. */
const version = {
  version: 3,
  createdAt: now,
  instructions: '',
  modelId: null,
  skillIds: null,
  connectionIds: null,
  environment: null,
}
export const agent: AgentDetails = {
  id: 'g1',
  workspaceId: null,
  name: 'Log reader',
  description: 'Reads the night’s logs, reports what is odd',
  current: version,
  versions: [version],
  imported: null,
  createdAt: now,
  updatedAt: now,
}

const minute = 60_000
const hour = 60 * minute
/** Six in the morning in Berlin, in winter. */
const morning = now - 5.5 * hour
const run: Run = {
  id: 'v1',
  agentId: 'g1',
  agentVersion: 3,
  trigger: 'schedule',
  triggerId: 'f1',
  dueAt: morning,
  missed: 0,
  title: 'Every morning',
  input: 'Read the logs.',
  status: 'succeeded',
  reason: null,
  threadId: 't',
  threadRemovedAt: null,
  createdAt: morning,
  startedAt: morning,
  endedAt: morning + 41_000,
  usage: { inputTokens: 48_200, outputTokens: 1900, cachedInputTokens: 0, costUsd: 0.17 },
  output: 'Nothing unusual in 14,209 lines.',
}
const approval = {
  code: 'run.approval-needed',
  message: 'The run needed approval for send on Mail, but runs are unattended.',
  remedy: 'Allow the tool in the connection’s settings, or do this part in a thread where you can approve it.',
  details: { tool: 'send', connection: 'Mail' },
}
const overlap = {
  code: 'run.overlap',
  message: 'The schedule’s previous run hadn’t finished.',
  details: {},
  remedy: 'Run it less often, or let runs wait for each other or overlap.',
}

export const runs: RunPage = {
  runs: [
    {
      ...run,
      id: 'v5',
      trigger: 'manual',
      triggerId: null,
      dueAt: null,
      title: 'Log reader',
      status: 'running',
      createdAt: now - minute,
      startedAt: now - minute,
      endedAt: null,
      usage: null,
      output: null,
    },
    run,
    {
      ...run,
      id: 'v3',
      trigger: 'webhook',
      title: 'Deployment',
      status: 'failed',
      reason: approval,
      createdAt: now - 9 * hour,
      startedAt: now - 9 * hour,
      endedAt: now - 9 * hour + 12_000,
      output: 'Two services restarted more than 5 times. I could not send the mail.',
    },
    {
      ...run,
      id: 'v0',
      threadId: null,
      threadRemovedAt: now - hour,
      createdAt: morning - 24 * hour,
      startedAt: morning - 24 * hour,
      endedAt: morning - 24 * hour + 38_000,
    },
    {
      ...run,
      id: 'v2',
      status: 'skipped',
      reason: overlap,
      threadId: null,
      usage: null,
      output: null,
      createdAt: morning - 48 * hour,
      startedAt: null,
      endedAt: morning - 48 * hour,
    },
  ],
  next: 'next-page',
  kept: { days: 90, runs: 1000 },
}

export const kept: KeptRuns = { keep: 20, removing: { count: 0, first: [] } }

export const latestRuns: LatestRuns = {
  agents: [
    { agentId: 'g1', last: { id: 'v1', status: 'succeeded', createdAt: morning }, nextDueAt: morning + 24 * hour },
    { agentId: 'g2', last: null, nextDueAt: null },
  ],
}

export const nextTimes: NextTimes = { next: [5, 6, 7, 8, 9].map((day) => Date.UTC(2026, 2, day, 5)) }

export const schedules: Schedules = {
  schedules: [
    {
      id: 'f1',
      agentId: 'g1',
      name: 'Every morning',
      cron: '0 6 * * *',
      timeZone: 'Europe/Berlin',
      input: 'Read the logs.',
      version: null,
      overlap: 'skip',
      missed: 'once',
      isEnabled: true,
      network: { kind: 'allowlist', names: [], presets: ['package-registries'] },
      ...nextTimes,
      createdAt: now,
    },
    {
      id: 'f2',
      agentId: 'g1',
      name: 'Weekly summary',
      cron: '0 3 * * 0',
      timeZone: 'Europe/Berlin',
      input: 'Sum up.',
      version: null,
      overlap: 'queue',
      missed: 'skip',
      isEnabled: false,
      network: null,
      next: [],
      createdAt: now,
    },
  ],
}

export const webhooks: Webhooks = {
  webhooks: [
    {
      id: 'f3',
      agentId: 'g1',
      name: 'Deployment',
      input: 'Look at what was deployed.',
      version: null,
      isEnabled: true,
      network: null,
      url: 'https://box.example.com/hooks/fq3v8kd01m2xw7t5znbp',
      createdAt: now,
      lastUsedAt: now - 9 * hour,
    },
  ],
}
