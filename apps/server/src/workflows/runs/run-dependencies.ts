import type { Turn } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { Audit, Settings } from '../../people/public.ts'
import type { System } from '../../platform/system/system.ts'
import type { ThreadLog, Threads } from '../../threads/public.ts'
import type { Turns } from '../../turns/public.ts'
import type { Agents } from '../agents/agents.usecases.ts'
import type { RunStore } from './runs.store.ts'
import type { ScheduleStore, WebhookStore } from './triggers.store.ts'

type RunLog = Pick<ThreadLog, 'entriesOfTurn'> & { turn(threadId: string, turnId: string): Promise<Turn | undefined> }

type RunSettings = Pick<Settings, 'values'> & {
  /** How many runs of this person can be at work: the lower of the setting and the person’s limit. */
  limitOf(userId: string): Promise<number>
}

export type RunDependencies = {
  store: RunStore
  schedules: ScheduleStore
  webhooks: WebhookStore
  agents: Pick<Agents, 'resolve' | 'startThread' | 'list' | 'usableConnections'>
  turns: Pick<Turns, 'send' | 'stop' | 'whileQuiet'>
  threads: Pick<Threads, 'delete' | 'deleteByRule'>
  log: RunLog
  settings: RunSettings
  audit: Audit
  system: System
  logger: Logger
  /** Called when an agent’s runs, schedules or webhooks have changed. */
  onChanged(userId: string, agentId: string): void
}
