import { type FinishReason, type LanguageModel, type ModelMessage, streamText, type ToolSet } from 'ai'
import type { ModelUsage } from '../spending/model-usage.ts'

/** A part of a model's response, in the order of arrival. */
export type ModelPart =
  | { kind: 'block-started'; block: 'text' | 'reasoning'; id: string }
  | { kind: 'block-delta'; id: string; text: string }
  | { kind: 'block-ended'; id: string }

/** A call that the model requested; `problem` says why it can't run. */
export type RequestedCall = { id: string; tool: string; input: unknown; problem: string | null }

export type ModelAnswer = {
  finishReason: FinishReason
  usage: ModelUsage
  calls: RequestedCall[]
  /** The assistant's message for later requests, signatures included. */
  messages: ModelMessage[]
}

export type ModelRequest = {
  model: LanguageModel
  system: string
  messages: ModelMessage[]
  tools: ToolSet
  maxOutputTokens: number
  signal: AbortSignal
}

/** The provider closed the stream without finishing the response. */
export class AnswerCutError extends Error {
  override readonly name = 'AnswerCutError'
  constructor() {
    super('The connection closed before the response was complete.')
  }
}

/**
 * Sends one request to a model, without retries. `onPart` gets the response while it arrives and is awaited, so that a
 * slow recorder slows down reading. Rejects with the provider's error, with {@link AnswerCutError}, or with the
 * signal's reason.
 */
export async function callModel(
  request: ModelRequest,
  onPart: (part: ModelPart) => Promise<void>,
): Promise<ModelAnswer> {
  const result = streamText({
    model: request.model,
    instructions: request.system,
    messages: request.messages,
    tools: request.tools,
    maxOutputTokens: request.maxOutputTokens,
    maxRetries: 0,
    abortSignal: request.signal,
    onError: () => undefined,
  })
  let end: { finishReason: FinishReason; raw: string | undefined; usage: ModelUsage } | undefined
  const calls: RequestedCall[] = []
  for await (const part of result.stream) {
    switch (part.type) {
      case 'text-start':
        await onPart({ kind: 'block-started', block: 'text', id: `text:${part.id}` })
        break
      case 'reasoning-start':
        await onPart({ kind: 'block-started', block: 'reasoning', id: `reasoning:${part.id}` })
        break
      case 'text-delta':
      case 'reasoning-delta':
        await onPart({ kind: 'block-delta', id: `${part.type.replace('-delta', '')}:${part.id}`, text: part.text })
        break
      case 'text-end':
      case 'reasoning-end':
        await onPart({ kind: 'block-ended', id: `${part.type.replace('-end', '')}:${part.id}` })
        break
      case 'tool-call':
        calls.push({
          id: part.toolCallId,
          tool: part.toolName,
          input: part.input,
          problem: part.invalid === true ? messageOf(part.error) : null,
        })
        break
      case 'error':
        throw part.error
      case 'abort':
        request.signal.throwIfAborted()
        break
      case 'finish-step':
        end = { finishReason: part.finishReason, raw: part.rawFinishReason, usage: usageOf(part.usage) }
        break
      default:
    }
  }
  request.signal.throwIfAborted()
  if (end === undefined || (end.raw === undefined && end.finishReason === 'other')) throw new AnswerCutError()
  return { finishReason: end.finishReason, usage: end.usage, calls, messages: await result.responseMessages }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function usageOf(usage: {
  inputTokens?: number | undefined
  outputTokens?: number | undefined
  inputTokenDetails?: { cacheReadTokens?: number | undefined; cacheWriteTokens?: number | undefined }
}): ModelUsage {
  return {
    inputTokens: usage.inputTokens ?? 0,
    outputTokens: usage.outputTokens ?? 0,
    cachedInputTokens: usage.inputTokenDetails?.cacheReadTokens ?? 0,
    cacheWriteTokens: usage.inputTokenDetails?.cacheWriteTokens ?? 0,
  }
}
