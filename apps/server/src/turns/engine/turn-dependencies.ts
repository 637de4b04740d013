import type { turnSettings } from '@threadbox/config'
import type { Attachment, NoticeEntry, Turn, TurnFailure } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { Lifecycle, SandboxAccess, Services, WakeNotes } from '../../sandboxes/public.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { AgentConnections } from '../connections/agent-connections.ts'
import type { Models } from '../models/models.usecases.ts'
import type { TurnHistory } from '../record/turn-history.ts'
import type { TurnRecord } from '../record/turn-record.ts'
import type { Snapshots } from '../snapshots/snapshots.usecases.ts'
import type { TurnEvents } from '../turns.events.ts'
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

/** What the engine asks threads for. */
export type TurnThreads = {
  /** Undefined when the thread is gone or deleted. */
  facts(threadId: string): Promise<ThreadFacts | undefined>
  /** Throws `thread.not-found` when it is gone or deleted. */
  require(threadId: string): Promise<void>
  setAutomaticTitle(threadId: string, title: string): Promise<void>
  /** The attachments of this thread with these ids. Throws when one is not there. */
  attachmentsOf(threadId: string, ids: readonly string[]): Promise<Attachment[]>
}

/** The sandbox of a thread, as far as its turns need it. */
export type TurnSandbox = {
  access: SandboxAccess
  services: Services
  lifecycle: Pick<Lifecycle, 'pause' | 'status'>
  /** What the model does not know yet about its sandbox. */
  wakeNotes: WakeNotes
  /** What the disk contains at the end of a turn is kept. */
  snapshots: Pick<Snapshots, 'want' | 'turnEnded' | 'settled'>
}

/** Throws its own error when no turn may begin in this thread now. Asked under the thread's lock. */
export type TurnGate = (threadId: string) => Promise<void>

/**
 * What the model is told with a message that becomes the turn `before`, of how the conversation came about: that it began
 * as a copy, that it was rewound. Empty when there is nothing, or the model knows.
 */
export type TurnNote = (threadId: string, before: number) => Promise<ToldNote[]>

/** `code` stands in `noteCodes` of the turn that told it. */
export type ToldNote = { code: string; text: string }

/** What features above have added, and what they listen to. */
export type AboveTurns = {
  gates(): readonly TurnGate[]
  notes(): readonly TurnNote[]
  events: Pick<Events<TurnEvents>, 'emit'>
}

export type TurnDependencies = {
  store: TurnHistory
  queue: QueueStore
  log: ThreadLog
  threads: TurnThreads
  sandbox: TurnSandbox
  connections: AgentConnections
  models: Models
  blobs: BlobStore
  above: AboveTurns
  settings: TurnSettings
  system: System
  logger: Logger
}

/** Where turns are recorded: for the engine, and for those who read the thread. */
export type Recording = Pick<TurnDependencies, 'store' | 'log' | 'system'>

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
