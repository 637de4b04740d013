import { argumentsOf, finishOf, piecesOf, type ScriptedAnswer, type ScriptedFailure } from './model-reply.ts'
import { asList, asRecord, asText, emptyMessage, type RecordedMessage, type RequestView } from './recorded-request.ts'
import type { Frames, Wire } from './wire.ts'

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
  view: (body) => viewOf(body),
  frames: (answer, request) => framesOf(answer, request),
  errorInStream: () => event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  error: (failure) => errorOf(failure),
}

function viewOf(body: Record<string, unknown>): RequestView {
  const system =
    typeof body.system === 'string'
      ? body.system
      : asList(body.system)
          .map((part) => asText(part.text))
          .join('\n')
  return {
    model: asText(body.model),
    system,
    messages: asList(body.messages).map(messageOf),
    tools: asList(body.tools).map((tool) => asText(tool.name)),
  }
}

function messageOf(raw: Record<string, unknown>): RecordedMessage {
  const message = emptyMessage(raw.role === 'assistant' ? 'assistant' : 'user')
  if (typeof raw.content === 'string') return { ...message, text: raw.content }
  for (const part of asList(raw.content)) {
    if (part.type === 'text') message.text += asText(part.text)
    if (part.type === 'image') message.images.push(asText(asRecord(part.source).media_type))
    if (part.type === 'thinking') {
      message.reasoning.push({ text: asText(part.thinking), signature: asText(part.signature) })
    }
    if (part.type === 'tool_use') {
      message.calls.push({ id: asText(part.id), name: asText(part.name), input: part.input })
    }
    if (part.type === 'tool_result') message.results.push(resultOf(part))
  }
  return message.results.length > 0 ? { ...message, role: 'tool' } : message
}

function resultOf(part: Record<string, unknown>): RecordedMessage['results'][number] {
  const inner = asList(part.content)
  return {
    id: asText(part.tool_use_id),
    text: typeof part.content === 'string' ? part.content : inner.map((item) => asText(item.text)).join(''),
    isError: part.is_error === true,
    images: inner.filter((item) => item.type === 'image').length,
  }
}

function event(type: string, data: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

async function* framesOf(answer: ScriptedAnswer, request: RequestView): Frames {
  const usage = answer.usage ?? {}
  yield event('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: request.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: usage.inputTokens ?? 10,
        cache_read_input_tokens: usage.cachedInputTokens ?? 0,
        cache_creation_input_tokens: usage.cacheWriteTokens ?? 0,
        output_tokens: 1,
      },
    },
  })
  let index = 0
  const start = (block: Record<string, unknown>) => event('content_block_start', { index, content_block: block })
  const delta = (content: Record<string, unknown>) => event('content_block_delta', { index, delta: content })
  const stop = () => event('content_block_stop', { index: index++ })
  if (answer.reasoning !== undefined) {
    yield start({ type: 'thinking', thinking: '', signature: '' })
    yield delta({ type: 'thinking_delta', thinking: answer.reasoning.text })
    yield delta({ type: 'signature_delta', signature: answer.reasoning.signature })
    yield stop()
  }
  if (answer.text !== undefined) {
    yield start({ type: 'text', text: '' })
    for await (const piece of piecesOf(answer.text)) yield { piece: delta({ type: 'text_delta', text: piece }) }
    yield stop()
  }
  for (const [position, call] of (answer.calls ?? []).entries()) {
    yield start({ type: 'tool_use', id: call.id ?? `toolu_${position}`, name: call.name, input: {} })
    yield delta({ type: 'input_json_delta', partial_json: argumentsOf(call) })
    yield stop()
  }
  const reasons = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', refusal: 'refusal' } as const
  yield event('message_delta', {
    delta: { stop_reason: reasons[finishOf(answer)], stop_sequence: null },
    usage: { output_tokens: usage.outputTokens ?? 5 },
  })
  yield event('message_stop', {})
}

function errorOf(failure: ScriptedFailure) {
  const table = {
    'wrong-key': [401, 'authentication_error', 'invalid x-api-key'],
    'rate-limited': [429, 'rate_limit_error', 'This request would exceed your rate limit.'],
    overloaded: [529, 'overloaded_error', 'Overloaded'],
    internal: [500, 'api_error', 'Internal server error'],
    'context-full': [400, 'invalid_request_error', 'prompt is too long: 212345 tokens > 200000 maximum'],
    'unknown-model': [404, 'not_found_error', 'model: nothing-like-this'],
    cut: [500, 'api_error', ''],
  } as const
  const [status, type, message] = table[failure.failure]
  return { status, body: { type: 'error', error: { type, message } } }
}
