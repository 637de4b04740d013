import type { WorkspaceAction } from '@threadbox/domain'
import type { Entry, Turn } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { Audit } from '../audit/audit.ts'
import type { Settings } from '../settings/settings.ts'
import type { System } from '../system.ts'
import type { ThreadLog } from '../threads/thread-log.ts'
import type { Threads } from '../threads/threads.usecases.ts'
import type { Turns } from '../turns/turns.usecases.ts'
import type { RunStore } from './runs.store.ts'
import type { ScheduleStore, WebhookStore } from './triggers.store.ts'

/** What of agents a run needs. */
export type RunnableAgents = {
  /**
   * The version that would run; null asks for the current one. Throws `agent.not-found` unless this person may do this
   * with the agent, and `agent.version-not-found`.
   */
  resolve(
    userId: string,
    agent: { agentId: string; version: number | null; action: WorkspaceAction },
  ): Promise<{ name: string; version: number }>
  /** With the same thread id it makes one thread, never two. Throws `agent.start-interrupted` where only another id helps. */
  startThread(order: {
    agentId: string
    version: number
    ownerId: string
    title: string
    threadId: string
  }): Promise<{ threadId: string }>
}

export type RunDependencies = {
  store: RunStore
  schedules: ScheduleStore
  webhooks: WebhookStore
  agents: RunnableAgents
  turns: Pick<Turns, 'send' | 'stop'>
  threads: Pick<Threads, 'delete'>
  log: Pick<ThreadLog, 'entries'> & { turn(threadId: string, turnId: string): Promise<Turn | undefined> }
  settings: Pick<Settings, 'values'>
  audit: Audit
  system: System
  logger: Logger
  /** Runs, schedules or webhooks of an agent are others than before. */
  onChanged(userId: string, agentId: string): void
}

/** What of a conversation belongs to one turn. */
export async function entriesOfTurn(
  { log }: Pick<RunDependencies, 'log'>,
  { threadId, turnId }: { threadId: string; turnId: string },
): Promise<Entry[]> {
  return (await log.entries(threadId)).filter((entry) => entry.turnId === turnId)
}
