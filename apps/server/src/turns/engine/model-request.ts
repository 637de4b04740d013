import type { ModelMessage, ToolSet } from 'ai'
import { attachmentKey, readStored } from '../../threads/public.ts'
import type { UsableModel } from '../models/models.usecases.ts'
import { callPaidModel, type PaidAnswer } from '../models/paid-call.ts'
import { writerOf } from '../record/turn-history.ts'
import type { CompactionRecord, TurnRecord } from '../record/turn-record.ts'
import type { Payer } from '../spending/ledger.ts'
import {
  compactionSystem,
  filesIn,
  mechanicalSummary,
  splitForCompaction,
  summaryMessage,
  summaryRequest,
  summaryTokens,
} from './compaction.logic.ts'
import { estimateTokens, type HistoryItem, historyOf, imageKeysIn, itemsAfter, noteMessage } from './history.logic.ts'
import { notice, type Recording, type TurnDependencies } from './turn-dependencies.ts'

type CompactionDependencies = Recording & Pick<TurnDependencies, 'models'>

export type PreparedRequest = { messages: ModelMessage[]; estimatedTokens: number }

/** Limit of images per request, newest first; each costs as much as a long page of text. */
const maxImages = 8
/** Larger images were rejected when they were stored, so a larger blob is broken. */
const maxImageBytes = 6 * 1024 * 1024
/** Limits of the correction of an estimate by the token count that the provider last reported. */
const correctionLimits = { low: 0.8, high: 2.5 }
const maxCompactions = 3

/**
 * Prepares a request to the model: the conversation from the last summary on. If it would exceed the configured share
 * of the window, or if `isForced`, the older part is summarized first; the original messages stay stored.
 */
export async function prepareRequest(
  dependencies: CompactionDependencies & Pick<TurnDependencies, 'blobs' | 'settings'>,
  options: {
    turn: TurnRecord
    model: UsableModel
    signal: AbortSignal
    isForced: boolean
    /** The system prompt of the request. */
    system: string
    /** Tools of every request, beside the conversation and the system prompt. */
    tools: ToolSet
    /** A note after the conversation, for this request. */
    note: string | undefined
    /** Who pays for summaries. */
    payer: Payer
    /** Called for each summary. */
    onPaid(paid: PaidAnswer): void
  },
): Promise<PreparedRequest> {
  const { model } = options
  const limit = (model.contextTokens * dependencies.settings.compactAtPercent) / 100
  for (let round = 0; ; round++) {
    const state = await historyState(dependencies, options)
    const isForced = options.isForced && round === 0
    const isTooLong = state.estimatedTokens > limit || isForced
    const { contextTokens } = model
    const mayCompact = isTooLong && round < maxCompactions
    const split = mayCompact ? splitForCompaction(state.items, { contextTokens, isForced }) : undefined
    if (split === undefined) return { messages: withCacheMark(state.messages), estimatedTokens: state.estimatedTokens }
    await compact(dependencies, { ...options, ...split, previous: state.compaction, before: state.estimatedTokens })
  }
}

async function historyState(
  dependencies: Pick<TurnDependencies, 'blobs' | 'store'>,
  options: { turn: TurnRecord; model: UsableModel; system: string; tools: ToolSet; note: string | undefined },
) {
  const { store } = dependencies
  const { turn, model } = options
  const compaction = await store.lastCompaction(turn.threadId)
  const turns = await store.turnsFrom(turn.threadId, compaction?.turnOrdinal ?? 1)
  const images = await loadImages(dependencies, turns)
  const { provider, supportsImages } = model.connection
  const items = itemsAfter(historyOf(turns, { provider, supportsImages, images }), compaction)
  // A summary that ends within the running turn contains the turn's message, so that message is repeated verbatim.
  const isWithinTurn = compaction !== undefined && compaction.turnOrdinal === turn.ordinal
  const currentRequest = isWithinTurn ? turn.userText.slice(0, 8000) : undefined
  const summary = compaction === undefined ? [] : [summaryMessage(compaction, currentRequest)]
  const note = options.note === undefined ? [] : [noteMessage(options.note)]
  const messages = [...summary, ...items.flatMap((item) => item.messages), ...note]
  const estimate =
    toolTokens(options.tools) +
    estimateTokens([options.system, ...summary, ...note]) +
    items.reduce((total, item) => total + item.tokens, 0)
  const estimatedTokens = Math.ceil(estimate * (await correction(dependencies, turn.threadId)))
  return { compaction, items, messages, estimatedTokens }
}

/** Built-in tools are the same in every request, and their schemas are large objects. */
const tokensByTool = new WeakMap<object, number>()

function toolTokens(tools: ToolSet): number {
  return Object.values(tools).reduce((total, tool) => {
    const tokens = tokensByTool.get(tool) ?? estimateTokens([tool.description, tool.inputSchema])
    tokensByTool.set(tool, tokens)
    return total + tokens
  }, 0)
}

async function correction(dependencies: Pick<Recording, 'store'>, threadId: string): Promise<number> {
  const measure = await dependencies.store.lastMeasure(threadId)
  if (measure === undefined || measure.estimatedTokens === 0) return 1
  const ratio = measure.inputTokens / measure.estimatedTokens
  return Math.min(correctionLimits.high, Math.max(correctionLimits.low, ratio))
}

async function loadImages(
  dependencies: Pick<TurnDependencies, 'blobs'>,
  turns: readonly TurnRecord[],
): Promise<Map<string, string>> {
  const images = new Map<string, string>()
  const threadId = turns[0]?.threadId ?? ''
  for (const key of imageKeysIn(turns, maxImages)) {
    const blobKey = key.startsWith('attachment:') ? attachmentKey(threadId, key.slice('attachment:'.length)) : key
    const bytes = await readStored(dependencies.blobs, { key: blobKey, offset: 0, length: maxImageBytes })
    if (bytes.length > 0) images.set(key, Buffer.from(bytes).toString('base64'))
  }
  return images
}

async function compact(
  dependencies: CompactionDependencies,
  options: {
    turn: TurnRecord
    model: UsableModel
    signal: AbortSignal
    old: HistoryItem[]
    previous: CompactionRecord | undefined
    before: number
    payer: Payer
    onPaid(paid: PaidAnswer): void
  },
): Promise<void> {
  const { store, log, system } = dependencies
  const { turn, model, old, previous } = options
  const last = old.at(-1)
  if (last === undefined) return
  const boundary = { turnOrdinal: last.turnOrdinal, stepIndex: last.stepIndex }
  const { contextTokens } = model
  const written = await summarize(dependencies, options)
  const turns = await store.turnsFrom(turn.threadId, previous?.turnOrdinal ?? 1)
  const compaction: CompactionRecord = {
    id: system.newId('operation'),
    threadId: turn.threadId,
    ...boundary,
    summary: written === '' ? mechanicalSummary(previous, old) : written,
    files: filesIn({ previous, turns, boundary, contextTokens }),
    createdAt: system.now(),
  }
  const saved = old.reduce((total, item) => total + item.tokens, 0) - estimateTokens(compaction.summary)
  const params = { tokensBefore: options.before, tokensAfter: Math.max(0, options.before - saved), contextTokens }
  const entry = notice(system, { turnId: turn.id, code: 'compacted', params })
  await log.append(turn.threadId, [{ type: 'entry-added', entry }], (transaction) =>
    store.addCompaction(compaction, writerOf(transaction)),
  )
}

async function summarize(
  dependencies: CompactionDependencies,
  options: {
    model: UsableModel
    signal: AbortSignal
    old: HistoryItem[]
    previous: CompactionRecord | undefined
    payer: Payer
    onPaid(paid: PaidAnswer): void
  },
): Promise<string> {
  const { model, signal, old, previous, payer } = options
  let summary = ''
  const request = {
    model: model.client,
    system: compactionSystem,
    messages: summaryRequest({ previous, old, contextTokens: model.contextTokens }),
    tools: {},
    maxOutputTokens: summaryTokens(model.contextTokens),
    signal,
  }
  const inputTokens = estimateTokens([request.system, request.messages])
  const paid = await callPaidModel(
    dependencies.models.ledger,
    { request, spend: { id: dependencies.system.newId('usage'), payer, kind: 'compaction', model, inputTokens } },
    async (part) => {
      if (part.kind === 'block-delta' && part.id.startsWith('text:')) summary += part.text
    },
  )
  options.onPaid(paid)
  // The summary is limited, whatever length the model chooses: it must not take the space that it frees.
  return summary.trim().slice(0, summaryTokens(model.contextTokens) * 5)
}

/** Anthropic caches what precedes a mark; the next request pays a tenth for it. Other providers ignore marks. */
function withCacheMark(messages: readonly ModelMessage[]): ModelMessage[] {
  const last = messages.at(-1)
  if (last === undefined) return []
  const marked = { ...last, providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
  return [...messages.slice(0, -1), marked as ModelMessage]
}
