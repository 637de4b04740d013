import type { turnSettings } from '@threadbox/config'
import type { Attachment, NoticeEntry, Turn, TurnFailure } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { System } from '../../platform/system/system.ts'
import type { Lifecycle } from '../../sandboxes/lifecycle/lifecycle.usecases.ts'
import type { WakeNotes } from '../../sandboxes/lifecycle/wake-notes.ts'
import type { Services } from '../../sandboxes/services/services.usecases.ts'
import type { SandboxAccess } from '../../sandboxes/state/sandbox-access.ts'
import type { ThreadLog } from '../../threads/log/thread-log.ts'
import type { AgentConnections } from '../connections/agent-connections.ts'
import type { Models } from '../models/models.usecases.ts'
import type { TurnRecord } from '../record/turn-record.ts'
import type { TurnStore } from '../record/turns.store.ts'
import type { Snapshots } from '../snapshots/snapshots.usecases.ts'
import type { QueueStore } from './queue.store.ts'
import type { TurnLimits } from './turn-state.models.ts'

export type TurnSettings = { [Name in keyof typeof turnSettings]: number }

/** What of a thread the engine has to know. */
export type ThreadFacts = {
  /** The thread's own model, else its workspace's. */
  modelId: string | null
  titleSource: 'none' | 'automatic' | 'person'
  /** Of its workspace; empty when there are none. */
  instructions: string
  /** Of the agent that it was started from; empty when there are none. */
  agentInstructions: string
  /** What its sandbox has at `/skills`. */
  skills: readonly { name: string; description: string }[]
}

export type TurnDependencies = {
  store: TurnStore
  queue: QueueStore
  log: ThreadLog
  sandboxes: SandboxAccess
  services: Services
  connections: AgentConnections
  lifecycle: Pick<Lifecycle, 'pause' | 'status'>
  /** What the model does not know yet about its sandbox. */
  wakeNotes: WakeNotes
  /** What the disk contains at the end of a turn is kept. */
  snapshots: Pick<Snapshots, 'want' | 'turnEnded' | 'settled'>
  blobs: BlobStore
  models: Models
  /** Undefined when the thread is gone or deleted. */
  threadFacts(threadId: string): Promise<ThreadFacts | undefined>
  /**
   * What the model is told with a message that becomes the turn `before`, of how the conversation came about: that it
   * began as a copy, that it was rewound. Null when there is nothing, or it was told.
   */
  historyNote(threadId: string, before: number): Promise<string | null>
  /** Throws when no turn may begin in this thread now: one that is being rewound, or whose rewind waits for the host. */
  assertCanBegin(threadId: string): Promise<void>
  /** Throws `thread.not-found` when it is gone or deleted. */
  requireThread(threadId: string): Promise<void>
  /** A turn has ended, and that is recorded. */
  onTurnEnded(turn: { id: string; threadId: string }): void
  setAutomaticTitle(threadId: string, title: string): Promise<void>
  /** The attachments of this thread with these ids. Throws when one is not there. */
  attachmentsOf(threadId: string, ids: readonly string[]): Promise<Attachment[]>
  settings: TurnSettings
  system: System
  logger: Logger
}

export function limitsOf(settings: TurnSettings): TurnLimits {
  return {
    steps: settings.maxTurnSteps,
    milliseconds: settings.maxTurnMinutes * 60_000,
    tokens: settings.maxTurnTokens,
    usd: settings.maxTurnUsd === 0 ? null : settings.maxTurnUsd,
  }
}

/** A turn as people see it. */
export function turnView(
  turn: TurnRecord,
  now: { status: Turn['status']; endedAt: number | null; failure?: TurnFailure | undefined },
): Turn {
  const isStopped = now.status === 'stopped'
  return {
    id: turn.id,
    mode: turn.mode,
    status: now.status,
    modelId: turn.modelId,
    modelName: turn.modelName,
    startedAt: turn.startedAt,
    endedAt: now.endedAt,
    usage: turn.mode === 'agent' ? usageOf(turn) : null,
    failure: now.failure ?? null,
    stillRunning: isStopped ? turn.steps.flatMap((step) => step.calls.flatMap((call) => call.stillRunning)) : [],
  }
}

function usageOf(turn: TurnRecord): NonNullable<Turn['usage']> {
  const asked = turn.steps.filter((step) => step.inputTokens + step.outputTokens > 0)
  const sum = (read: (step: TurnRecord['steps'][number]) => number) =>
    asked.reduce((total, step) => total + read(step), 0)
  return {
    inputTokens: sum((step) => step.inputTokens),
    outputTokens: sum((step) => step.outputTokens),
    cachedInputTokens: sum((step) => step.cachedInputTokens),
    costUsd: asked.some((step) => step.costUsd === null) ? null : sum((step) => step.costUsd ?? 0),
  }
}

/** A line in the conversation that nobody said. */
export function notice(
  system: System,
  options: { turnId: string; code: NoticeEntry['code']; params?: NoticeEntry['params'] },
): NoticeEntry {
  const { turnId, code, params } = options
  return { id: system.newId('entry'), turnId, at: system.now(), kind: 'notice', code, params: params ?? {} }
}
