import { makeId } from '@threadbox/domain'
import type { ToolCallEntry, ToolName, TurnFailure } from '@threadbox/protocol/public'
import { toolNames } from '@threadbox/protocol/public'
import type { ModelMessage } from 'ai'
import type { PendingNote } from '../../sandboxes/public.ts'
import { type ThreadChange, threadNotFound } from '../../threads/public.ts'
import type { OfferedTool } from '../connections/agent-connections.ts'
import type { ModelAnswer } from '../models/model-call.ts'
import { lengthFailure, modelFailureOf, quotaFailureOf, refusedFailure } from '../models/model-failure.logic.ts'
import type { UsableModel } from '../models/models.usecases.ts'
import { callPaidModel, type PaidAnswer } from '../models/paid-call.ts'
import { type StepChange, writerOf } from '../record/turn-history.ts'
import type { CallRecord, TurnRecord } from '../record/turn-record.ts'
import { type ModelUsage, noUsage, sumOf } from '../spending/model-usage.ts'
import { failedWith } from '../tools/outcomes.ts'
import { callInputInvalid } from '../tools/tools.errors.ts'
import { modelToolsWith } from '../tools/tools.ts'
import { type FallbackCause, fallbackCauseOf } from './fallback.logic.ts'
import { prepareRequest } from './model-request.ts'
import { makeStepRecorder, type StepRecorder } from './step-recorder.ts'
import { systemPromptWith } from './system-prompt.ts'
import { payerOf, type Recording, type TurnDependencies } from './turn-dependencies.ts'

/**
 * The result of a request to the model. `asked`: recorded, so decide the next action again. `full`: nothing was
 * returned because the context window was too small.
 */
export type StepEnd =
  | { kind: 'asked' }
  /** `fallback`: nothing was shown, and another model may be able to respond. */
  | { kind: 'failed'; failure: TurnFailure; fallback?: { cause: FallbackCause; tokens: number } }
  | { kind: 'full' }

type Step = {
  id: string
  turn: TurnRecord
  model: UsableModel
  estimatedTokens: number
  /** Of the summaries before the request, and of the request. */
  usage: ModelUsage
  /** In millionths of a USD; null: the model has no price. */
  microUsd: number | null
  note: PendingNote | undefined
  /** Tools of connections as offered to the model. */
  offered: readonly OfferedTool[]
}

/** Dependencies of `askModel`. */
export type ModelStepDependencies = Recording &
  Pick<TurnDependencies, 'connections' | 'models' | 'threads' | 'sandbox' | 'blobs' | 'settings' | 'logger'>

/**
 * Sends one request to the model. The step is recorded before the request, so that a kill of the server leaves a trace of it; the
 * response and its calls are recorded together, before any call runs.
 */
export async function askModel(
  dependencies: ModelStepDependencies,
  options: { turn: TurnRecord; model: UsableModel; signal: AbortSignal; leave: AbortSignal; isForced: boolean },
): Promise<StepEnd> {
  const { store, settings } = dependencies
  const { turn, model, leave } = options
  const signal = AbortSignal.any([options.signal, leave])
  const step: Step = {
    id: dependencies.system.newId('step'),
    turn,
    model,
    estimatedTokens: 0,
    usage: noUsage,
    microUsd: 0,
    note: undefined,
    offered: [],
  }
  const recorder = makeStepRecorder(dependencies, { id: step.id, turnId: turn.id, threadId: turn.threadId })
  await store.beginStep(newStep(step), turn.threadId)
  try {
    const onPaid = ({ answer, microUsd }: PaidAnswer) => {
      step.usage = sumOf(step.usage, answer.usage)
      step.microUsd = step.microUsd === null || microUsd === null ? null : step.microUsd + microUsd
    }
    step.note = await dependencies.sandbox.wakeNotes.pending(turn.threadId, signal)
    const facts = await dependencies.threads.facts(turn.threadId)
    if (facts === undefined) throw threadNotFound({})
    const payer = payerOf(turn, facts)
    const { tools: offered, leftOut } = await dependencies.connections.offered(turn.threadId)
    step.offered = offered
    const system = systemPromptWith({
      ...facts,
      hasConnections: offered.length > 0,
      leftOut,
    })
    const tools = modelToolsWith(offered)
    const note = step.note?.text
    const prepared = await prepareRequest(dependencies, { ...options, signal, system, tools, note, payer, onPaid })
    step.estimatedTokens = prepared.estimatedTokens
    const request = {
      model: model.client,
      system,
      messages: prepared.messages,
      tools,
      maxOutputTokens: Math.min(settings.maxAnswerTokens, Math.floor(model.contextTokens / 4)),
      signal,
    }
    const kind = turn.isUnattended ? 'run' : 'step'
    const spend = { id: step.id, payer, kind, model, inputTokens: prepared.estimatedTokens } as const
    const paid = await callPaidModel(dependencies.models.ledger, { request, spend }, recorder.onPart)
    onPaid(paid)
    return await recordAnswer(dependencies, { step, recorder, answer: paid.answer })
  } catch (error) {
    if (leave.aborted) throw error
    return await recordBreak(dependencies, { step, recorder, error, isStopped: options.signal.aborted })
  }
}

function newStep(step: Step) {
  const { turn, model } = step
  const index = (turn.steps.at(-1)?.index ?? -1) + 1
  const base = { id: step.id, turnId: turn.id, index, provider: model.connection.provider, status: 'asking' as const }
  const tokens = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 }
  const figures = { ...tokens, costUsd: null, estimatedTokens: 0, note: null }
  return { ...base, isFinal: false, messages: [], entryIds: [], ...figures }
}

async function recordAnswer(
  dependencies: Recording,
  options: { step: Step; recorder: StepRecorder; answer: ModelAnswer },
): Promise<StepEnd> {
  const { step, recorder, answer } = options
  const failure = failureIn(step.turn, answer)
  const { entries, text } = await recorder.finish(failure === undefined ? 'done' : 'partial')
  if (failure !== undefined) {
    await recordPartial(dependencies, { step, entries, text })
    return { kind: 'failed', failure }
  }
  const calls = answer.calls.map((call, index) => newCall(dependencies, { step, call, index }))
  const change: StepChange = {
    status: 'finished',
    isFinal: calls.length === 0,
    messages: withOwnIds(answer.messages, calls),
    entryIds: entries.map((entry) => entry.id),
    estimatedTokens: step.estimatedTokens,
    note: step.note?.text ?? null,
    ...measured(step),
  }
  const changes: ThreadChange[] = [
    ...entries.map((entry) => ({ type: 'entry-updated' as const, entry })),
    ...calls.flatMap((call) => callEntry(call, { step, at: dependencies.system.now() })),
  ]
  await dependencies.log.append(step.turn.threadId, changes, async (transaction) => {
    const writer = writerOf(transaction)
    await dependencies.store.changeStep(step.id, change, writer)
    for (const call of calls) await dependencies.store.addCall(call, writer)
    await step.note?.markTold(transaction)
  })
  return { kind: 'asked' }
}

/** Returns why a response that arrived completely can't continue a turn. */
function failureIn(turn: TurnRecord, answer: ModelAnswer): TurnFailure | undefined {
  if (answer.finishReason === 'content-filter') return refusedFailure
  if (answer.finishReason === 'length') return lengthFailure
  const isEmpty = answer.calls.length === 0 && answer.messages.length === 0
  const isFirst = !turn.steps.some((step) => step.status === 'finished')
  if (!isEmpty || !isFirst) return undefined
  return {
    code: 'internal',
    message: 'The model returned an empty response.',
    remedy: 'Try again, or switch to another model.',
    retryAt: null,
    actions: ['retry', 'switch-model'],
  }
}

async function recordBreak(
  dependencies: Recording & Pick<TurnDependencies, 'logger'>,
  options: { step: Step; recorder: StepRecorder; error: unknown; isStopped: boolean },
): Promise<StepEnd> {
  const { step, recorder, error, isStopped } = options
  const { entries, text } = await recorder.finish('partial')
  const provider = step.model.connection.name
  const failure = quotaFailureOf(error) ?? modelFailureOf(error, { nowMs: dependencies.system.now(), provider })
  const isFull = !isStopped && failure.code === 'context-full' && entries.length === 0
  if (!isStopped && failure.code === 'internal') {
    dependencies.logger.warn({ err: error, turnId: step.turn.id }, 'model call failed')
  }
  await recordPartial(dependencies, { step, entries, text })
  if (isStopped) return { kind: 'asked' }
  if (isFull) return { kind: 'full' }
  const cause = entries.length === 0 ? fallbackCauseOf(failure, dependencies.system.now()) : undefined
  return {
    kind: 'failed',
    failure,
    ...(cause === undefined ? {} : { fallback: { cause, tokens: step.estimatedTokens } }),
  }
}

/**
 * Records the received part of an incomplete response. Its reasoning and its calls are discarded, because they can't be
 * used.
 */
async function recordPartial(
  dependencies: Pick<Recording, 'log' | 'store'>,
  options: {
    step: Step
    entries: Awaited<ReturnType<StepRecorder['finish']>>['entries']
    text: string
  },
): Promise<void> {
  const { step, entries, text } = options
  const messages: ModelMessage[] = text === '' ? [] : [{ role: 'assistant', content: [{ type: 'text', text }] }]
  // If the response is discarded, its note is too, so that the next request contains the note again.
  const hasText = text !== ''
  const change: StepChange = {
    status: entries.length === 0 ? 'discarded' : 'partial',
    messages,
    entryIds: entries.map((entry) => entry.id),
    note: hasText ? (step.note?.text ?? null) : null,
    ...measured(step),
  }
  const changes = entries.map((entry): ThreadChange => ({ type: 'entry-updated', entry }))
  await dependencies.log.append(step.turn.threadId, changes, async (transaction) => {
    await dependencies.store.changeStep(step.id, change, writerOf(transaction))
    if (hasText) await step.note?.markTold(transaction)
  })
}

function newCall(
  dependencies: Pick<Recording, 'system'>,
  options: { step: Step; call: ModelAnswer['calls'][number]; index: number },
): CallRecord {
  const { step, call, index } = options
  const problem =
    call.problem === null ? undefined : failedWith(callInputInvalid({ problem: call.problem.slice(0, 1000) }))
  return {
    id: makeId('call', dependencies.system.randomBytes),
    stepId: step.id,
    turnId: step.turn.id,
    threadId: step.turn.threadId,
    index,
    tool: call.tool,
    input: call.input,
    status: problem === undefined ? 'waiting' : 'failed',
    bootId: null,
    outputBytes: 0,
    keptOutputBytes: null,
    displays: 0,
    plan: step.offered.find(({ agentName }) => agentName === call.tool)?.plan ?? null,
    output: problem?.output ?? null,
    stillRunning: [],
  }
}

/** The entry with which a recorded call appears. An unknown tool gets no card, only an error for the model. */
export function callEntry(
  call: CallRecord,
  options: { step: Pick<Step, 'id' | 'offered'> | null; at: number },
): ThreadChange[] {
  const { step } = options
  const known = toolNames.find((name): name is ToolName => name === call.tool)
  const connection = step?.offered.find(({ agentName }) => agentName === call.tool)?.connection
  const tool = known ?? (connection === undefined ? undefined : 'connection')
  if (tool === undefined) return []
  const isFailed = call.status === 'failed'
  const entry: ToolCallEntry = {
    id: call.id,
    turnId: call.turnId,
    at: options.at,
    kind: 'tool-call',
    stepId: step?.id ?? null,
    tool,
    ...(connection === undefined ? {} : { connection }),
    input: call.input,
    status: call.status,
    startedAt: call.status === 'running' ? options.at : null,
    endedAt: isFailed ? options.at : null,
    output: { tail: '', tailOffset: 0, sizeBytes: 0 },
    result: null,
    error: isFailed ? { code: callInputInvalid.code, message: call.output?.text ?? '', remedy: '' } : null,
  }
  return [{ type: 'entry-added', entry }]
}

/** The assistant's message with the calls under threadbox's own ids, in the model's order. */
function withOwnIds(messages: readonly ModelMessage[], calls: readonly CallRecord[]): ModelMessage[] {
  let next = 0
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'assistant') return []
    if (typeof message.content === 'string') return [message]
    const content = message.content.map((part) => {
      if (part.type !== 'tool-call') return part
      const call = calls[next++]
      return call === undefined ? part : { ...part, toolCallId: call.id }
    })
    return [{ ...message, content }]
  })
}

function measured({ usage, microUsd }: Step): StepChange {
  const { inputTokens, outputTokens, cachedInputTokens } = usage
  return { inputTokens, outputTokens, cachedInputTokens, costUsd: microUsd === null ? null : microUsd / 1_000_000 }
}
