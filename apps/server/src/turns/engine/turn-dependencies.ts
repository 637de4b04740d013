import type { turnSettings } from '@threadbox/config'
import type { Attachment, NoticeEntry, Turn, TurnFailure } from '@threadbox/protocol/public'
import type { Logger } from '@threadbox/telemetry'
import type { BlobStore } from '../../platform/blobs/blob-store.ts'
import type { Events } from '../../platform/events/events.ts'
import type { System } from '../../platform/system/system.ts'
import type { Lifecycle, RefusedNames, SandboxAccess, Services, WakeNotes } from '../../sandboxes/public.ts'
import type { ThreadLog } from '../../threads/public.ts'
import type { AgentConnections } from '../connections/agent-connections.ts'
import type { Models } from '../models/models.usecases.ts'
import type { TurnHistory } from '../record/turn-history.ts'
import type { TurnRecord } from '../record/turn-record.ts'
import type { Snapshots } from '../snapshots/snapshots.usecases.ts'
import type { Ledger, Payer } from '../spending/ledger.ts'
import type { TurnEvents } from '../turns.events.ts'
import type { QueueStore } from './queue.store.ts'
import type { SecretOfPrompt } from './system-prompt.ts'
import type { TurnLimits } from './turn-state.logic.ts'

export type TurnSettings = { [Name in keyof typeof turnSettings]: number }

/** The data of a thread that the engine needs. */
export type ThreadFacts = {
  /** Who created the thread. */
  ownerId: string
  workspaceId: string | null
  /** The thread's own model, otherwise its workspace's. */
  modelId: string | null
  titleSource: 'none' | 'automatic' | 'person'
  /** The workspace's instructions; empty when it has none. */
  instructions: string
  /** Instructions of the agent from which the thread was started; empty without them. */
  agentInstructions: string
  /** Secrets that programs in the sandbox can use. */
  secrets: readonly SecretOfPrompt[]
  /** Skills in the sandbox's `/skills`. */
  skills: readonly { name: string; description: string }[]
}

/** What the engine needs from threads. */
export type TurnThreads = {
  /** Undefined when the thread doesn't exist or is deleted. */
  facts(threadId: string): Promise<ThreadFacts | undefined>
  /** Throws `thread.not-found` if the thread doesn't exist or is deleted. */
  require(threadId: string): Promise<void>
  setAutomaticTitle(threadId: string, title: string): Promise<void>
  /** Returns the thread's attachments with these ids. Throws when one doesn't exist. */
  attachmentsOf(threadId: string, ids: readonly string[]): Promise<Attachment[]>
}

/** The sandbox of a thread, as far as its turns need it. */
export type TurnSandbox = {
  access: SandboxAccess
  services: Services
  lifecycle: Pick<Lifecycle, 'pause' | 'status'>
  /** Events of the sandbox that the model hasn't been notified of. */
  wakeNotes: WakeNotes
  /** What the network policy refused during a call. */
  refusedNames: RefusedNames
  /** Takes a disk snapshot at the end of each turn. */
  snapshots: Pick<Snapshots, 'want' | 'turnEnded' | 'settled'>
}

/** Throws its own error when no turn can start in this thread. Runs under the thread's lock. */
export type TurnGate = (threadId: string) => Promise<void>

/**
 * Notes for the model on how the conversation came about, such as that it is a copy or was rewound. They go with the
 * message that becomes the turn `before`. Empty when there are none or the model has them already.
 */
export type TurnNote = (threadId: string, before: number) => Promise<ToldNote[]>

/** `code` is listed in `noteCodes` of the turn that contained the note. */
export type ToldNote = { code: string; text: string }

/** Extensions by features above, and their listeners. */
export type AboveTurns = {
  gates(): readonly TurnGate[]
  notes(): readonly TurnNote[]
  events: Pick<Events<TurnEvents>, 'emit'>
}

export type TurnModels = Models & {
  /** What requests to models cost. */
  ledger: Ledger
  /** Whether the thread’s conversation may only go to the provider of its own model. */
  staysWithProvider(threadId: string): Promise<boolean>
}

export type TurnDependencies = {
  store: TurnHistory
  queue: QueueStore
  log: ThreadLog
  threads: TurnThreads
  sandbox: TurnSandbox
  connections: AgentConnections
  models: TurnModels
  blobs: BlobStore
  above: AboveTurns
  settings: TurnSettings
  system: System
  logger: Logger
}

/** Where turns are recorded, for the engine and for readers of the thread. */
export type Recording = Pick<TurnDependencies, 'store' | 'log' | 'system'>

export function limitsOf(settings: TurnSettings): TurnLimits {
  return {
    steps: settings.maxTurnSteps,
    milliseconds: settings.maxTurnMinutes * 60_000,
    tokens: settings.maxTurnTokens,
    usd: settings.maxTurnUsd === 0 ? null : settings.maxTurnUsd,
  }
}

/** The author of the message pays. A turn from before people could share threads is its creator’s. */
export function payerOf(turn: TurnRecord, facts: Pick<ThreadFacts, 'ownerId' | 'workspaceId'>): Payer {
  const { ownerId, workspaceId } = facts
  return { userId: turn.authorId ?? ownerId, workspaceId, threadId: turn.threadId, turnId: turn.id }
}

/** A turn in the form of the public API. */
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
  const measuredSteps = turn.steps.filter((step) => step.inputTokens + step.outputTokens > 0)
  const sum = (read: (step: TurnRecord['steps'][number]) => number) =>
    measuredSteps.reduce((total, step) => total + read(step), 0)
  return {
    inputTokens: sum((step) => step.inputTokens),
    outputTokens: sum((step) => step.outputTokens),
    cachedInputTokens: sum((step) => step.cachedInputTokens),
    costUsd: measuredSteps.some((step) => step.costUsd === null) ? null : sum((step) => step.costUsd ?? 0),
  }
}

/** An entry of the server in the conversation. */
export function notice(
  system: System,
  options: { turnId: string; code: NoticeEntry['code']; params?: NoticeEntry['params'] },
): NoticeEntry {
  const { turnId, code, params } = options
  return { id: system.newId('entry'), turnId, at: system.now(), kind: 'notice', code, params: params ?? {} }
}
